package dev.sluice.api;

import dev.sluice.api.InMemoryTopology.LogMode;
import dev.sluice.api.rooms.RoomCalls;
import dev.sluice.api.rooms.SharedFeed;
import dev.sluice.contract.EventKind;
import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.Membership;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.contract.SumMark;
import dev.sluice.hot.HotRooms;
import dev.sluice.log.LogUnavailableException;
import dev.sluice.query.FeedPage;
import dev.sluice.query.FeedPage.FeedEvent;
import dev.sluice.query.HeatSystem;
import dev.sluice.query.QueryException;
import dev.sluice.query.RoomHeat;
import dev.sluice.query.RoomQueries;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One partition of rooms in memory, which fails in the ways a log and an owner do when told to. */
public final class InMemoryRooms implements RoomCalls.Log, RoomQueries, HotRooms, SharedFeed {
  private static final long BEGIN = 1_796_000_000_000L;

  private final List<Logged> logged = new ArrayList<>();
  private final List<Membership> memberships = new ArrayList<>();
  private final Map<String, HotVerdict> hot = new LinkedHashMap<>();
  private final Map<String, Shared> shared = new HashMap<>();
  private final List<CompletableFuture<Void>> heldReads = new ArrayList<>();
  private final List<CompletableFuture<Receipt>> heldAppends = new ArrayList<>();
  private final AtomicReference<LogMode> mode = new AtomicReference<>(LogMode.STORES);
  private HeatSystem system = new HeatSystem(List.of(), List.of());
  private QueryException.Kind failure;
  private RuntimeException sharedFailure;
  private boolean holdsReads;
  private int reads;

  /** An event as it stands in the log. */
  public record Logged(long cursor, RoomEvent event, SumMark mark) {}

  public void log(LogMode next) {
    mode.set(next);
    if (next != LogMode.HANGS) {
      List<CompletableFuture<Receipt>> waiting;
      synchronized (this) {
        waiting = List.copyOf(heldAppends);
        heldAppends.clear();
      }
      waiting.forEach(append -> append.completeExceptionally(unavailable(false)));
    }
  }

  /** Every question fails so; null: none does. */
  public synchronized void fail(QueryException.Kind next) {
    failure = next;
  }

  /** Every look at what is shared fails so; null: none does. */
  public synchronized void failShared(RuntimeException next) {
    sharedFailure = next;
  }

  /** Gives a room a verdict, or takes it away with null. */
  public synchronized void judge(String roomId, HotVerdict verdict) {
    if (verdict == null) {
      hot.remove(roomId);
    } else {
      hot.put(roomId, verdict);
    }
  }

  /** Makes a room hot as a whole. */
  public void makeHot(String roomId) {
    judge(roomId, new HotVerdict(roomId, HotVerdict.ROOM, 9_000, 5_000, 5, BEGIN, BEGIN));
  }

  public synchronized void system(HeatSystem next) {
    system = next;
  }

  public synchronized void share(String roomId, Shared entry) {
    shared.put(roomId, entry);
  }

  public synchronized Shared shared(String roomId) {
    return shared.get(roomId);
  }

  /** Readings of a feed are kept back until this is undone. */
  public void holdReads(boolean holds) {
    List<CompletableFuture<Void>> let;
    synchronized (this) {
      holdsReads = holds;
      let = holds ? List.of() : List.copyOf(heldReads);
      if (!holds) {
        heldReads.clear();
      }
    }
    let.forEach(read -> read.complete(null));
  }

  /** Readings of feeds so far. */
  public synchronized int reads() {
    return reads;
  }

  public synchronized List<Logged> logged() {
    return List.copyOf(logged);
  }

  public synchronized List<Membership> memberships() {
    return List.copyOf(memberships);
  }

  public synchronized long end() {
    return logged.isEmpty() ? -1 : logged.get(logged.size() - 1).cursor();
  }

  @Override
  public CompletableFuture<Receipt> append(RoomEvent event, SumMark mark) {
    return append(
        () -> {
          long cursor = end() + 1;
          logged.add(new Logged(cursor, event, mark));
          return cursor;
        });
  }

  @Override
  public CompletableFuture<Receipt> append(Membership membership) {
    return append(
        () -> {
          memberships.add(membership);
          return memberships.size() - 1L;
        });
  }

  private synchronized CompletableFuture<Receipt> append(Supplier<Long> store) {
    LogMode then = mode.get();
    if (then == LogMode.REFUSES) {
      return CompletableFuture.failedFuture(unavailable(false));
    }
    if (then == LogMode.HANGS) {
      CompletableFuture<Receipt> held = new CompletableFuture<>();
      heldAppends.add(held);
      return held;
    }
    Receipt receipt = new Receipt(3, store.get(), BEGIN);
    return then == LogMode.STORES
        ? CompletableFuture.completedFuture(receipt)
        : CompletableFuture.failedFuture(unavailable(true));
  }

  private static LogUnavailableException unavailable(boolean mayBeStored) {
    return new LogUnavailableException(mayBeStored, "as told", null);
  }

  @Override
  public int partitionOf(String roomId) {
    return 3;
  }

  @Override
  public CompletableFuture<FeedPage> feed(String roomId, long after, long upTo, int limit) {
    CompletableFuture<Void> let = new CompletableFuture<>();
    synchronized (this) {
      reads++;
      if (holdsReads) {
        heldReads.add(let);
        return let.thenApply(nothing -> page(roomId, after, upTo, limit));
      }
    }
    return answered(() -> page(roomId, after, upTo, limit));
  }

  private synchronized FeedPage page(String roomId, long after, long upTo, int limit) {
    if (Math.max(after, upTo) > end()) {
      throw new QueryException(QueryException.Kind.TIMED_OUT, "not logged yet");
    }
    List<FeedEvent> events =
        logged.stream()
            .filter(one -> one.event().roomId().equals(roomId) && one.cursor() > after)
            .filter(one -> one.event().kind() == EventKind.MESSAGE)
            .map(one -> new FeedEvent(one.cursor(), BEGIN, RoomEventJson.write(one.event())))
            .toList();
    List<FeedEvent> page = events.subList(0, Math.min(limit, events.size()));
    long cursor = page.isEmpty() ? after : page.get(page.size() - 1).cursor();
    return new FeedPage(page, cursor, page.size() < events.size());
  }

  @Override
  public CompletableFuture<Long> members(String roomId) {
    return answered(
        () -> memberships.stream().filter(member -> member.roomId().equals(roomId)).count());
  }

  @Override
  public CompletableFuture<RoomHeat> heat(String roomId) {
    return answered(() -> roomHeat(roomId));
  }

  private RoomHeat roomHeat(String roomId) {
    TreeMap<String, RoomHeat.Slice> countries = new TreeMap<>();
    countries.put("KR", new RoomHeat.Slice(70, 500));
    countries.put("US", new RoomHeat.Slice(30, 0));
    return new RoomHeat(roomId, hot.get(roomId), 100, 120, 5_000, 5, 7, countries, new TreeMap<>());
  }

  @Override
  public CompletableFuture<List<RoomHeat>> hot() {
    return answered(() -> hot.keySet().stream().map(this::roomHeat).toList());
  }

  @Override
  public CompletableFuture<HeatSystem> heatSystem() {
    return answered(() -> system);
  }

  private synchronized <T> CompletableFuture<T> answered(Supplier<T> answer) {
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
  public synchronized HotVerdict verdict(String roomId) {
    return hot.get(roomId);
  }

  @Override
  public synchronized List<HotVerdict> all() {
    return List.copyOf(hot.values());
  }

  @Override
  public void onChange(Consumer<Change> listener) {
    throw new UnsupportedOperationException("the api listens to no verdicts");
  }

  @Override
  public synchronized CompletableFuture<Optional<Shared>> get(String roomId, String ticket) {
    if (sharedFailure != null) {
      throw sharedFailure;
    }
    return CompletableFuture.completedFuture(Optional.ofNullable(shared.get(roomId)));
  }

  @Override
  public synchronized void put(String roomId, String ticket, Reading reading) {
    shared.put(roomId, new Shared(reading, KEPT_MILLIS));
  }
}
