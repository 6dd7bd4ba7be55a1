package dev.sluice.bench.push;

import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.RoomState;
import dev.sluice.contract.Version;
import dev.sluice.hot.HotRooms;
import dev.sluice.identity.Session;
import dev.sluice.notifier.push.LiveOutcomes;
import dev.sluice.notifier.push.RoomSources;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.Answer;
import dev.sluice.query.FeedPage;
import dev.sluice.query.HeatSystem;
import dev.sluice.query.PersonView;
import dev.sluice.query.RoomHeat;
import dev.sluice.query.RoomQueries;
import dev.sluice.query.RoomView;
import dev.sluice.query.SystemView;
import dev.sluice.query.WaitingSnapshot;
import dev.sluice.settings.SettingsView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * One room in memory in which everyone waits, so that a notifier can be measured without what is
 * behind it. Nobody is known until a look-up; then they wait, and what happens to them is told by
 * {@link #expire}.
 */
final class EveryoneWaits implements AdmissionQueries, LiveOutcomes {
  private static final Receipt RECEIPT = new Receipt(0, 0, 0);

  private final Map<String, PersonView> people = new ConcurrentHashMap<>();
  private final AtomicLong offsets = new AtomicLong(1);
  private volatile Consumer<Outcome> listener = outcome -> {};
  private volatile long waiting = 1;

  /** Everyone who holds one of {@code sessions}, by their number. */
  void wait(List<Session> sessions) {
    for (int i = 0; i < sessions.size(); i++) {
      String name = Pushes.person(i);
      people.put(
          name,
          new PersonView(
              Pushes.ROOM,
              name,
              sessions.get(i).hash(),
              PersonStatus.WAITING,
              i + 1L,
              i + 1L,
              sessions.size(),
              60,
              0,
              null,
              RECEIPT,
              new Version(0, 0, 0)));
    }
  }

  /** Tells that a person has expired, for a reason. */
  void expire(int number, String reason) {
    PersonView person = people.get(Pushes.person(number));
    long offset = offsets.getAndIncrement();
    listener.accept(
        new Outcome.PersonChanged(
            Pushes.ROOM,
            person.requestId(),
            person.session(),
            PersonStatus.EXPIRED,
            person.ticket(),
            0,
            reason,
            RECEIPT,
            new Version(0, offset, 0),
            0));
  }

  /** So many wait from now on, as figures say. */
  void nowWait(long people) {
    waiting = people;
  }

  /** What a notifier needs of rooms of another kind: there are none. */
  static RoomSources noRooms() {
    return new RoomSources(
        new NoFeeds(),
        (wanted, said) -> CompletableFuture.completedFuture(null),
        new NothingHot(),
        () -> SettingsView.EMPTY,
        audience -> {});
  }

  @Override
  public CompletableFuture<Void> follow(Consumer<Outcome> follower) {
    listener = follower;
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public int partitionOf(String roomId) {
    return 0;
  }

  @Override
  public CompletableFuture<Optional<PersonView>> person(
      String roomId, String requestId, long leastOffset) {
    return CompletableFuture.completedFuture(Optional.ofNullable(people.get(requestId)));
  }

  @Override
  public CompletableFuture<RoomView> room(String roomId) {
    return CompletableFuture.completedFuture(
        new RoomView(roomId, 0, 0, true, RoomState.OPEN, 200, 0, waiting, 200, waiting + 1, 0));
  }

  @Override
  public CompletableFuture<Answer> await(int partition, long offset, Duration atMost) {
    throw new UnsupportedOperationException("a notifier awaits nothing");
  }

  @Override
  public CompletableFuture<List<PersonView>> people(String requestId) {
    throw new UnsupportedOperationException("everyone names the room");
  }

  @Override
  public CompletableFuture<WaitingSnapshot> waiting(String roomId) {
    throw new UnsupportedOperationException("no ranks are told");
  }

  @Override
  public CompletableFuture<SystemView> system() {
    throw new UnsupportedOperationException("a notifier asks for no such thing");
  }

  private static final class NothingHot implements HotRooms {
    @Override
    public HotVerdict verdict(String roomId) {
      return null;
    }

    @Override
    public List<HotVerdict> all() {
      return List.of();
    }

    @Override
    public void onChange(Consumer<Change> changed) {}
  }

  private static final class NoFeeds implements RoomQueries {
    @Override
    public int partitionOf(String roomId) {
      return 0;
    }

    @Override
    public CompletableFuture<FeedPage> feed(String roomId, long after, long upTo, int limit) {
      return CompletableFuture.completedFuture(new FeedPage(List.of(), BEGINNING, false));
    }

    @Override
    public CompletableFuture<Long> members(String roomId) {
      throw new UnsupportedOperationException("a notifier asks for no such thing");
    }

    @Override
    public CompletableFuture<RoomHeat> heat(String roomId) {
      throw new UnsupportedOperationException("a notifier asks for no such thing");
    }

    @Override
    public CompletableFuture<List<RoomHeat>> hot() {
      throw new UnsupportedOperationException("a notifier asks for no such thing");
    }

    @Override
    public CompletableFuture<HeatSystem> heatSystem() {
      throw new UnsupportedOperationException("a notifier asks for no such thing");
    }
  }
}
