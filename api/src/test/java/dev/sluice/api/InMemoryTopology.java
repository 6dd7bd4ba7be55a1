package dev.sluice.api;

import dev.sluice.admission.AdmissionMachine;
import dev.sluice.admission.AdmissionReader;
import dev.sluice.admission.AdmissionState;
import dev.sluice.admission.EndedPeople;
import dev.sluice.admission.Person;
import dev.sluice.admission.RestingRooms;
import dev.sluice.admission.Step;
import dev.sluice.api.admin.SettingsInForce;
import dev.sluice.api.admission.AdmissionCalls;
import dev.sluice.api.health.Tier;
import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Command;
import dev.sluice.contract.Receipt;
import dev.sluice.log.LogUnavailableException;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.Answer;
import dev.sluice.query.PersonView;
import dev.sluice.query.QueryException;
import dev.sluice.query.RoomView;
import dev.sluice.query.SystemView;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.query.SystemView.PartitionView;
import dev.sluice.query.WaitingSnapshot;
import dev.sluice.settings.SettingAttempt;
import dev.sluice.settings.SettingsView;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * One partition's log and owner in memory, decided by the real machine. Its clock stands until it
 * is moved, and it fails in the ways a log and an owner do when told to.
 */
public final class InMemoryTopology
    implements AdmissionCalls.Entries, AdmissionQueries, SettingsInForce, Tier {
  public static final int PARTITION = 3;
  private static final long BEGIN = 1_796_000_000_000L;

  private final AdmissionState state =
      new AdmissionState(PARTITION, new Ended(), RestingRooms.NONE);
  private final AdmissionMachine machine = new AdmissionMachine(state);
  private final AdmissionReader reader = new AdmissionReader(state);
  private final Map<Long, Answer> answers = new HashMap<>();
  private final ArrayDeque<QueryException.Kind> failures = new ArrayDeque<>();
  private final AtomicReference<LogMode> mode = new AtomicReference<>(LogMode.STORES);
  private final AtomicReference<PartitionStatus> status =
      new AtomicReference<>(PartitionStatus.READY);
  private final AtomicReference<SettingsView> settings = new AtomicReference<>(SettingsView.EMPTY);
  private final List<SettingAttempt> attempts = new ArrayList<>();
  private final List<Command> commands = new ArrayList<>();
  private final List<CompletableFuture<Receipt>> held = new ArrayList<>();
  private long offset = -1;
  private long now = BEGIN;
  private long configs;

  /** What becomes of an append. */
  public enum LogMode {
    STORES,
    /** Nothing is sent. */
    REFUSES,
    /** It is stored and the sender doesn't learn of it. */
    LOSES_THE_ACKNOWLEDGEMENT,
    /** It is neither answered nor stored, as long as this lasts. */
    HANGS
  }

  public InMemoryTopology() {
    configure("admission.capacity", null, "200");
  }

  public synchronized void configure(String key, String roomId, String json) {
    apply(new Command.Configure(List.of(new AcceptedSetting(key, roomId, json, configs++))));
  }

  /** Lets time pass, and what is due happen. */
  public synchronized void pass(Duration time) {
    now += time.toMillis();
    apply(new Command.Tick());
  }

  public void log(LogMode next) {
    mode.set(next);
    if (next != LogMode.HANGS) {
      List<CompletableFuture<Receipt>> waiting;
      synchronized (this) {
        waiting = List.copyOf(held);
        held.clear();
      }
      waiting.forEach(future -> future.completeExceptionally(unavailable(false)));
    }
  }

  /** The next questions fail in this way, one after the other. */
  public synchronized void failNext(QueryException.Kind... kinds) {
    failures.addAll(List.of(kinds));
  }

  public void status(PartitionStatus next) {
    status.set(next);
  }

  public void settings(SettingsView next) {
    settings.set(next);
  }

  public synchronized void attempted(SettingAttempt attempt) {
    attempts.add(0, attempt);
  }

  /** Everything in the log but ticks and settings. */
  public synchronized List<Command> commands() {
    return List.copyOf(commands);
  }

  /** The machine's time, in milliseconds. */
  public synchronized long now() {
    return now;
  }

  public synchronized long endOffset() {
    return offset + 1;
  }

  @Override
  public CompletableFuture<Receipt> append(int partition, String roomId, Command command) {
    LogMode then = mode.get();
    if (then == LogMode.REFUSES) {
      return CompletableFuture.failedFuture(unavailable(false));
    }
    if (then == LogMode.HANGS) {
      CompletableFuture<Receipt> future = new CompletableFuture<>();
      synchronized (this) {
        held.add(future);
      }
      return future;
    }
    Receipt receipt = store(command);
    return then == LogMode.STORES
        ? CompletableFuture.completedFuture(receipt)
        : CompletableFuture.failedFuture(unavailable(true));
  }

  private synchronized Receipt store(Command command) {
    commands.add(command);
    return apply(command);
  }

  private synchronized Receipt apply(Command command) {
    offset++;
    Step.Applied applied = (Step.Applied) machine.apply(offset, now, command);
    answers.put(offset, applied.answer());
    return new Receipt(PARTITION, offset, now);
  }

  private static LogUnavailableException unavailable(boolean mayBeStored) {
    return new LogUnavailableException(mayBeStored, "as told", null);
  }

  @Override
  public int partitionOf(String roomId) {
    return PARTITION;
  }

  @Override
  public CompletableFuture<Answer> await(int partition, long at, Duration atMost) {
    return answered(() -> answers.get(at));
  }

  @Override
  public CompletableFuture<Optional<PersonView>> person(
      String roomId, String requestId, long leastOffset) {
    return answered(
        () -> {
          if (leastOffset > offset) {
            throw new QueryException(QueryException.Kind.TIMED_OUT, "not applied yet");
          }
          return reader.person(roomId, requestId, now);
        });
  }

  @Override
  public CompletableFuture<List<PersonView>> people(String requestId) {
    return answered(() -> reader.people(requestId, now));
  }

  @Override
  public CompletableFuture<RoomView> room(String roomId) {
    return answered(() -> reader.room(roomId, now));
  }

  @Override
  public CompletableFuture<WaitingSnapshot> waiting(String roomId) {
    return answered(() -> reader.waiting(roomId, now));
  }

  @Override
  public CompletableFuture<SystemView> system() {
    return answered(() -> new SystemView(partitions(), reader.occupiedRooms(now)));
  }

  private synchronized <T> CompletableFuture<T> answered(Supplier<T> answer) {
    QueryException.Kind failure = failures.poll();
    if (failure != null) {
      return CompletableFuture.failedFuture(new QueryException(failure, "as told"));
    }
    try {
      return CompletableFuture.completedFuture(answer.get());
    } catch (QueryException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public SettingsView view() {
    return settings.get();
  }

  @Override
  public synchronized List<SettingAttempt> history(int limit) {
    return attempts.stream().limit(limit).toList();
  }

  @Override
  public boolean isDead() {
    return false;
  }

  @Override
  public synchronized CompletableFuture<Standing> standing() {
    return CompletableFuture.completedFuture(
        new Standing(status.get() == PartitionStatus.READY, partitions()));
  }

  private List<PartitionView> partitions() {
    return List.of(new PartitionView(PARTITION, status.get(), "local", offset, 0, 1, null));
  }

  /** Ended people, in the order of their end. */
  private static final class Ended implements EndedPeople {
    private final Map<String, Person> people = new HashMap<>();
    private final LinkedHashMap<Long, Person> order = new LinkedHashMap<>();
    private long count;

    @Override
    public synchronized void add(Person ended) {
      people.put(name(ended.roomId(), ended.requestId()), ended);
      order.put(count++, ended);
    }

    @Override
    public synchronized Person find(String roomId, String requestId) {
      return people.get(name(roomId, requestId));
    }

    @Override
    public synchronized long oldestEndedAt() {
      return order.isEmpty() ? NONE : order.values().iterator().next().endedAt();
    }

    @Override
    public synchronized String forgetOldest() {
      Person oldest = order.remove(order.keySet().iterator().next());
      people.computeIfPresent(
          name(oldest.roomId(), oldest.requestId()),
          (name, kept) -> kept.ticket() == oldest.ticket() ? null : kept);
      return oldest.roomId();
    }

    @Override
    public synchronized boolean hasAnyOf(String roomId) {
      return order.values().stream().anyMatch(person -> person.roomId().equals(roomId));
    }

    private static String name(String roomId, String requestId) {
      return roomId + "/" + requestId;
    }
  }
}
