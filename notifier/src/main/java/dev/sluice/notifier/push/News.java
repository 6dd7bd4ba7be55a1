package dev.sluice.notifier.push;

import dev.sluice.contract.Outcome;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Version;
import dev.sluice.notifier.routing.Destination.Kind;
import dev.sluice.notifier.routing.PersonNews;
import dev.sluice.notifier.stomp.Encoded;
import dev.sluice.query.PersonView;

/** News about a person that encodes its body the first time someone is there to hear it. */
final class News implements PersonNews {
  private final Bodies bodies;
  private final PersonView person;
  private Encoded body;

  private News(Bodies bodies, PersonView person) {
    this.bodies = bodies;
    this.person = person;
  }

  /** A change as it happened; a rank is not known of it. */
  static News of(Bodies bodies, Outcome.PersonChanged change) {
    return new News(
        bodies,
        new PersonView(
            change.roomId(),
            change.requestId(),
            change.session(),
            change.status(),
            change.ticket(),
            0,
            0,
            -1,
            change.expiresAt(),
            change.reason(),
            change.receipt(),
            change.version()));
  }

  /** A person as looked up. */
  static News of(Bodies bodies, PersonView person) {
    return new News(bodies, person);
  }

  @Override
  public String roomId() {
    return person.roomId();
  }

  @Override
  public String requestId() {
    return person.requestId();
  }

  @Override
  public String session() {
    return person.session();
  }

  @Override
  public PersonStatus status() {
    return person.status();
  }

  @Override
  public long ticket() {
    return person.ticket();
  }

  @Override
  public Version version() {
    return person.version();
  }

  @Override
  public long rank() {
    return person.rank();
  }

  /** Each status has a body of one kind only, so one is all there is to keep. */
  @Override
  public synchronized Encoded body(Kind kind) {
    if (body == null) {
      body =
          switch (kind) {
            case ADMISSION ->
                bodies.admission(
                    person.roomId(),
                    person.requestId(),
                    person.ticket(),
                    person.expiresAt(),
                    person.version());
            case RANK ->
                bodies.rank(
                    person.roomId(),
                    person.requestId(),
                    person.rank(),
                    person.totalWaiting(),
                    person.estimatedWaitSeconds(),
                    person.version());
            case TIMEOUT ->
                bodies.timeout(
                    person.roomId(), person.requestId(), person.reason(), person.version());
          };
    }
    return body;
  }
}
