package dev.sluice.admission;

import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Command;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.PersonStatus;
import dev.sluice.query.Answer;
import dev.sluice.query.PersonView;
import dev.sluice.query.RoomView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A partition to try the machine on: appends commands at the time it is set to. */
final class TestPartition {
  static final int NUMBER = 3;
  static final String ROOM = "topgun2";

  private static final long START = 1_764_417_600_000L;

  private final EndedInMemory ended = new EndedInMemory();
  private final List<Outcome> outcomes = new ArrayList<>();
  private final AdmissionState state;
  private final AdmissionMachine machine;
  private final AdmissionReader reader;
  private long now = START;
  private long lastApplied = START;
  private long nextOffset;
  private long nextConfigOffset;

  /** One that admits nobody before it is configured. */
  TestPartition() {
    this(Turn.MOST_CHANGES);
  }

  TestPartition(int mostChanges) {
    this(mostChanges, RestingRooms.NONE);
  }

  TestPartition(RestingRooms resting) {
    this(Turn.MOST_CHANGES, resting);
  }

  private TestPartition(int mostChanges, RestingRooms resting) {
    state = new AdmissionState(NUMBER, ended, resting);
    machine = new AdmissionMachine(state, mostChanges);
    reader = new AdmissionReader(state);
  }

  static TestPartition withCapacity(int capacity) {
    TestPartition partition = new TestPartition();
    partition.configure("admission.capacity", String.valueOf(capacity));
    return partition;
  }

  AdmissionMachine machine() {
    return machine;
  }

  AdmissionState state() {
    return state;
  }

  AdmissionReader reader() {
    return reader;
  }

  long nextOffset() {
    return nextOffset;
  }

  /** Sets the broker's clock to so many milliseconds since the start. */
  TestPartition at(long millis) {
    now = START + millis;
    return this;
  }

  TestPartition later(long millis) {
    now += millis;
    return this;
  }

  Step apply(Command command) {
    Step step = machine.apply(nextOffset, now, command);
    if (step instanceof Step.Applied applied) {
      nextOffset++;
      lastApplied = now;
      outcomes.addAll(applied.outcomes());
    }
    return step;
  }

  private Answer answer(Command command) {
    return ((Step.Applied) apply(command)).answer();
  }

  Answer enter(String who) {
    return enter(ROOM, who);
  }

  Answer enter(String room, String who) {
    return enter(room, who, "session-of-" + who);
  }

  Answer enter(String room, String who, String session) {
    return answer(new Command.Enter(room, who, session));
  }

  TestPartition enterAll(int from, int to) {
    for (int i = from; i <= to; i++) {
      enter("u" + i);
    }
    return this;
  }

  /** With the ticket that the person has now. */
  Answer complete(String who) {
    return complete(who, person(who).ticket());
  }

  Answer complete(String who, long ticket) {
    return answer(new Command.Complete(ROOM, who, ticket));
  }

  Answer leave(String who) {
    return leave(who, person(who).ticket());
  }

  Answer leave(String who, long ticket) {
    return answer(new Command.Leave(ROOM, who, ticket));
  }

  Answer heartbeat(String who) {
    return heartbeat(who, person(who).ticket());
  }

  Answer heartbeat(String who, long ticket) {
    return answer(new Command.Heartbeat(ROOM, who, ticket));
  }

  List<Outcome> tick() {
    return ((Step.Applied) apply(new Command.Tick())).outcomes();
  }

  /** Ticks whenever one is wanted, until the clock shows so many milliseconds since the start. */
  TestPartition tickUntil(long millis) {
    while (machine.dueInMillis() <= START + millis - lastApplied) {
      now = lastApplied + machine.dueInMillis();
      tick();
    }
    return at(millis);
  }

  Answer configure(String key, String value) {
    return configure(key, null, value);
  }

  Answer configure(String key, String room, String value) {
    return configure(new AcceptedSetting(key, room, value, nextConfigOffset++));
  }

  Answer configure(AcceptedSetting... settings) {
    return answer(new Command.Configure(List.of(settings)));
  }

  Step.Applied invalid(String room, String who, String detail) {
    Step.Applied applied =
        (Step.Applied) machine.applyInvalid(nextOffset++, now, room, who, detail);
    lastApplied = now;
    outcomes.addAll(applied.outcomes());
    return applied;
  }

  PersonView person(String who) {
    return person(ROOM, who);
  }

  PersonView person(String room, String who) {
    return find(room, who).orElseThrow();
  }

  Optional<PersonView> find(String room, String who) {
    return reader.person(room, who, now);
  }

  PersonStatus status(String who) {
    return person(who).status();
  }

  RoomView room() {
    return reader.room(ROOM, now);
  }

  /** Those admitted so far, in order. */
  List<String> admitted() {
    return changes().stream()
        .filter(change -> change.status() == PersonStatus.ADMITTED)
        .map(Outcome.PersonChanged::requestId)
        .toList();
  }

  /** All changes of people so far. */
  List<Outcome.PersonChanged> changes() {
    return outcomes.stream()
        .filter(Outcome.PersonChanged.class::isInstance)
        .map(Outcome.PersonChanged.class::cast)
        .toList();
  }

  List<Outcome> outcomes() {
    return outcomes;
  }
}
