package dev.sluice.notifier;

import dev.sluice.contract.Audience;
import dev.sluice.contract.HotVerdict;
import dev.sluice.hot.HotRooms;
import dev.sluice.notifier.push.RoomSources;
import dev.sluice.query.FeedPage;
import dev.sluice.query.HeatSystem;
import dev.sluice.query.QueryException;
import dev.sluice.query.RoomHeat;
import dev.sluice.query.RoomQueries;
import dev.sluice.settings.BadSettingException;
import dev.sluice.settings.SettingAddress;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import dev.sluice.settings.SettingsView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * What is said in rooms and which are hot, in memory. Answers can be held back, or refused.
 * Thread-safe.
 */
public final class FakeFeeds implements RoomQueries, HotRooms {
  private final Map<String, Long> cursors = new ConcurrentHashMap<>();
  private final Map<String, HotVerdict> verdicts = new ConcurrentHashMap<>();
  private final List<Consumer<Change>> changeListeners = new CopyOnWriteArrayList<>();
  private final List<Follower> followers = new CopyOnWriteArrayList<>();
  private final List<Audience> audiences = new CopyOnWriteArrayList<>();
  private final List<Runnable> held = new ArrayList<>();
  private final AtomicInteger queries = new AtomicInteger();
  private volatile SettingsView settings = SettingsView.EMPTY;
  private volatile boolean failing;
  private boolean holding;

  /** Where the owner of a room stands, while it is behind. */
  private final Map<String, Long> behind = new ConcurrentHashMap<>();

  private interface Follower {
    void said(String roomId, long cursor);
  }

  /** All that a notifier needs of rooms. */
  public RoomSources sources() {
    return new RoomSources(
        this,
        (wanted, listener) -> {
          followers.add(
              (roomId, cursor) -> {
                listener.reads(0, cursor);
                if (wanted.test(roomId)) {
                  listener.said(roomId, cursor);
                }
              });
          return CompletableFuture.completedFuture(null);
        },
        this,
        () -> settings,
        audiences::add);
  }

  /** Says something in a room, at the next cursor. */
  public long say(String roomId) {
    long cursor = cursors.merge(roomId, 0L, (last, zero) -> last + 1);
    followers.forEach(follower -> follower.said(roomId, cursor));
    return cursor;
  }

  /** The owner of a room answers without what is said from now on, unless it is to wait for it. */
  public void lag(String roomId) {
    behind.put(roomId, cursors.getOrDefault(roomId, BEGINNING));
  }

  /** Something was said up to {@code cursor} before anyone listened. */
  public void stand(String roomId, long cursor) {
    cursors.put(roomId, cursor);
  }

  public void turnHot(String roomId, long rate) {
    HotVerdict now = new HotVerdict(roomId, HotVerdict.ROOM, rate, 5_000, 5, 1_000, 2_000);
    tell(new Change(roomId, verdicts.put(roomId, now), now));
  }

  public void cool(String roomId) {
    tell(new Change(roomId, verdicts.remove(roomId), null));
  }

  private void tell(Change change) {
    changeListeners.forEach(listener -> listener.accept(change));
  }

  /** Sets a value as JSON for all rooms. */
  public <T> void set(SettingKey<T> key, String json) {
    try {
      settings =
          settings.with(
              new SettingsView.InForce<>(
                  new SettingAddress(key, SettingScope.GLOBAL),
                  json,
                  key.parse(json),
                  settings.offset() + 1,
                  0,
                  null));
    } catch (BadSettingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Audiences as they were reported. */
  public List<Audience> audiences() {
    return List.copyOf(audiences);
  }

  /** How often a feed was asked for. */
  public int queries() {
    return queries.get();
  }

  public void failQueries() {
    failing = true;
  }

  /** Holds back answers, which are made when they were asked for, until {@link #release}. */
  public synchronized void hold() {
    holding = true;
  }

  public synchronized void release() {
    holding = false;
    held.forEach(Runnable::run);
    held.clear();
  }

  @Override
  public synchronized CompletableFuture<FeedPage> feed(
      String roomId, long after, long upTo, int limit) {
    queries.incrementAndGet();
    if (failing) {
      return CompletableFuture.failedFuture(
          new QueryException(QueryException.Kind.UNREACHABLE, "on purpose"));
    }
    long newest = cursors.getOrDefault(roomId, BEGINNING);
    long known = upTo >= newest ? newest : behind.getOrDefault(roomId, newest);
    FeedPage page = new FeedPage(List.of(), known, false);
    CompletableFuture<FeedPage> answer = new CompletableFuture<>();
    if (holding) {
      held.add(() -> answer.complete(page));
    } else {
      answer.complete(page);
    }
    return answer;
  }

  @Override
  public HotVerdict verdict(String roomId) {
    return verdicts.get(roomId);
  }

  @Override
  public List<HotVerdict> all() {
    return List.copyOf(verdicts.values());
  }

  @Override
  public void onChange(Consumer<Change> listener) {
    changeListeners.add(listener);
  }

  @Override
  public int partitionOf(String roomId) {
    return 0;
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
