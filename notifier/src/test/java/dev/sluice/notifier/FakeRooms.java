package dev.sluice.notifier;

import dev.sluice.admission.RankIndex;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.RoomState;
import dev.sluice.contract.Version;
import dev.sluice.notifier.push.LiveOutcomes;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.Answer;
import dev.sluice.query.PersonView;
import dev.sluice.query.QueryException;
import dev.sluice.query.RoomView;
import dev.sluice.query.SystemView;
import dev.sluice.query.WaitingSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Rooms in memory: what people do changes them and is told live, and they answer queries. Answers
 * can be held back, or refused, and what happens can be kept from the stream. Thread-safe.
 */
public final class FakeRooms implements AdmissionQueries, LiveOutcomes {
  private static final int CAPACITY = 200;

  private final Map<String, Map<String, PersonView>> people = new LinkedHashMap<>();
  private final Map<String, RankIndex> waiting = new LinkedHashMap<>();
  private final Map<String, Long> nextTicket = new LinkedHashMap<>();
  private final List<Consumer<Outcome>> listeners = new CopyOnWriteArrayList<>();
  private final List<Runnable> held = new ArrayList<>();
  private final List<Outcome> untold = new ArrayList<>();
  private final AtomicInteger waitingQueries = new AtomicInteger();
  private final AtomicInteger roomQueries = new AtomicInteger();
  private long offset;
  private boolean holding;
  private boolean silent;
  private int failures;

  /** Enters at the back. */
  public synchronized PersonView enter(String roomId, String requestId, String session) {
    long ticket = nextTicket.merge(roomId, 1L, Long::sum);
    waiting.merge(roomId, RankIndex.empty().with(ticket), (index, one) -> index.with(ticket));
    return change(
        roomId,
        requestId,
        session,
        PersonStatus.WAITING,
        ticket,
        0,
        null,
        new Receipt(0, offset, 0));
  }

  public synchronized PersonView admit(String roomId, String requestId) {
    return end(roomId, requestId, PersonStatus.ADMITTED, null);
  }

  public synchronized PersonView expire(String roomId, String requestId, String reason) {
    return end(roomId, requestId, PersonStatus.EXPIRED, reason);
  }

  public synchronized PersonView leave(String roomId, String requestId) {
    return end(roomId, requestId, PersonStatus.LEFT, null);
  }

  public synchronized PersonView complete(String roomId, String requestId) {
    return end(roomId, requestId, PersonStatus.COMPLETED, null);
  }

  private PersonView end(String roomId, String requestId, PersonStatus status, String reason) {
    PersonView person = people.get(roomId).get(requestId);
    waiting.computeIfPresent(roomId, (id, index) -> index.without(person.ticket()));
    long expiresAt = status == PersonStatus.ADMITTED ? 4_000_000_000_000L : 0;
    return change(
        roomId,
        requestId,
        person.session(),
        status,
        person.ticket(),
        expiresAt,
        reason,
        person.receipt());
  }

  private PersonView change(
      String roomId,
      String requestId,
      String session,
      PersonStatus status,
      long ticket,
      long expiresAt,
      String reason,
      Receipt receipt) {
    Version version = new Version(0, offset++, 0);
    PersonView person =
        new PersonView(
            roomId, requestId, session, status, ticket, 0, 0, -1, expiresAt, reason, receipt,
            version);
    people.computeIfAbsent(roomId, id -> new LinkedHashMap<>()).put(requestId, person);
    Outcome outcome =
        new Outcome.PersonChanged(
            roomId, requestId, session, status, ticket, expiresAt, reason, receipt, version, 0);
    if (silent) {
      untold.add(outcome);
    } else {
      listeners.forEach(listener -> listener.accept(outcome));
    }
    return person;
  }

  /** Tells an outcome again, or one of long ago. */
  public void tell(Outcome outcome) {
    listeners.forEach(listener -> listener.accept(outcome));
  }

  /** What happens from now on is not told. */
  public synchronized void silence() {
    silent = true;
  }

  /** What has happened in silence so far. */
  public synchronized List<Outcome> untold() {
    return List.copyOf(untold);
  }

  /** Answers made from now on, each by the state at its question, wait for {@link #release}. */
  public synchronized void hold() {
    holding = true;
  }

  public void release() {
    List<Runnable> all;
    synchronized (this) {
      holding = false;
      all = List.copyOf(held);
      held.clear();
    }
    all.forEach(Runnable::run);
  }

  /** As {@link #release}, the last first. */
  public void releaseNewestFirst() {
    synchronized (this) {
      Collections.reverse(held);
    }
    release();
  }

  public synchronized int heldAnswers() {
    return held.size();
  }

  /** The next {@code count} answers are that there is none. */
  public synchronized void fail(int count) {
    failures = count;
  }

  public int waitingQueries() {
    return waitingQueries.get();
  }

  public int roomQueries() {
    return roomQueries.get();
  }

  private synchronized <T> CompletableFuture<T> answer(Supplier<T> state) {
    if (failures > 0) {
      failures--;
      return CompletableFuture.failedFuture(
          new QueryException(QueryException.Kind.MOVING, "on its way"));
    }
    T answer = state.get();
    if (!holding) {
      return CompletableFuture.completedFuture(answer);
    }
    CompletableFuture<T> future = new CompletableFuture<>();
    held.add(() -> future.complete(answer));
    return future;
  }

  private PersonView withRank(PersonView person) {
    if (person.status() != PersonStatus.WAITING) {
      return person;
    }
    RankIndex index = waiting.get(person.roomId());
    return new PersonView(
        person.roomId(),
        person.requestId(),
        person.session(),
        person.status(),
        person.ticket(),
        index.rank(person.ticket()),
        index.size(),
        -1,
        0,
        null,
        person.receipt(),
        person.version());
  }

  private RoomView view(String roomId) {
    long active =
        people.getOrDefault(roomId, Map.of()).values().stream()
            .filter(person -> person.status() == PersonStatus.ADMITTED)
            .count();
    return new RoomView(
        roomId,
        0,
        offset - 1,
        true,
        RoomState.OPEN,
        CAPACITY,
        0,
        waiting.getOrDefault(roomId, RankIndex.empty()).size(),
        active,
        nextTicket.getOrDefault(roomId, 0L) + 1,
        active);
  }

  @Override
  public CompletableFuture<Void> follow(Consumer<Outcome> listener) {
    listeners.add(listener);
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public int partitionOf(String roomId) {
    return 0;
  }

  @Override
  public CompletableFuture<Answer> await(int partition, long awaited, Duration atMost) {
    throw new UnsupportedOperationException("a notifier awaits nothing");
  }

  @Override
  public CompletableFuture<Optional<PersonView>> person(
      String roomId, String requestId, long leastOffset) {
    return answer(
        () ->
            Optional.ofNullable(people.getOrDefault(roomId, Map.of()).get(requestId))
                .map(this::withRank));
  }

  @Override
  public CompletableFuture<List<PersonView>> people(String requestId) {
    return answer(
        () ->
            people.values().stream()
                .filter(room -> room.containsKey(requestId))
                .map(room -> withRank(room.get(requestId)))
                .toList());
  }

  @Override
  public CompletableFuture<RoomView> room(String roomId) {
    roomQueries.incrementAndGet();
    return answer(() -> view(roomId));
  }

  @Override
  public CompletableFuture<WaitingSnapshot> waiting(String roomId) {
    waitingQueries.incrementAndGet();
    return answer(
        () ->
            new WaitingSnapshot(
                view(roomId), waiting.getOrDefault(roomId, RankIndex.empty()), offset - 1, 60.0));
  }

  @Override
  public CompletableFuture<SystemView> system() {
    throw new UnsupportedOperationException("a notifier asks for no system view");
  }
}
