package dev.sluice.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.HotVerdictJson;
import dev.sluice.contract.Rfc3339;
import dev.sluice.hot.HotRooms;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingsView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.params.SetParams;

/**
 * Keeps marks of the hot rooms in Redis, for other systems: {@code hot:{room}} with the verdict,
 * and {@code hot:rooms}, a sorted set of rooms by when their mark expires. Each mark is written
 * with its time to live in one command and renewed every third of it, so that none outlives whoever
 * wrote it.
 *
 * <p>One thread compares what should be in Redis with what it wrote and writes the difference; a
 * change only leaves a note that there is something to do. So nothing queues up while Redis is
 * away, and everything is right a moment after it is back. Several processes may keep the same
 * marks. Thread-safe; started and closed once.
 */
public final class HotMarks implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HotMarks.class);

  private static final Duration PERIOD = Duration.ofMillis(100);
  private static final int BATCH = 200;

  /** Notes at most; a change that leaves none is written with the next renewal. */
  private static final int MAX_NOTES = 10_000;

  private static final String ROOMS = "hot:rooms";

  /** Trims what has expired, then adds rooms, each with its time to live in milliseconds. */
  private static final String ADD =
      """
      local time = redis.call('TIME')
      local now = time[1] * 1000 + math.floor(time[2] / 1000)
      redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
      for i = 1, #ARGV, 2 do
        redis.call('ZADD', KEYS[1], now + ARGV[i + 1], ARGV[i])
      end
      local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
      if last[2] then
        redis.call('PEXPIREAT', KEYS[1], last[2])
      end
      return #ARGV / 2
      """;

  /** Removes a mark, unless it tells of a later time that the room became hot. */
  private static final String REMOVE =
      """
      local value = redis.call('GET', KEYS[1])
      if value then
        local readable, mark = pcall(cjson.decode, value)
        if readable and type(mark) == 'table' and type(mark.since) == 'string'
            and mark.since > ARGV[1] then
          return 0
        end
        redis.call('DEL', KEYS[1])
      end
      return 1
      """;

  private final RedisLink link;
  private final HotRooms hotRooms;
  private final Supplier<SettingsView> settings;
  private final Predicate<String> ours;
  private final LongSupplier nanos;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread made = new Thread(task, "sluice-hot-marks");
            made.setDaemon(true);
            return made;
          });

  private final Map<String, Note> notes = new ConcurrentHashMap<>();
  private final AtomicLong changes = new AtomicLong();

  /** A round is on its way that will see whatever is noted before it begins. */
  private final AtomicBoolean woken = new AtomicBoolean();

  private final LongAdder writes = new LongAdder();

  /** What this process has written and not removed. */
  private final Map<String, Mark> marks = new ConcurrentHashMap<>();

  /** Redis may have lost what was written. */
  private volatile boolean doubtful;

  /**
   * A room has changed.
   *
   * @param since when it first did after it was last written
   * @param change the last one
   */
  private record Note(long since, long change) {}

  /**
   * A mark as it was written.
   *
   * @param since when the room became hot, milliseconds since the epoch
   * @param at when it was written, in nanoseconds
   */
  private record Mark(long since, long at, Duration ttl) {}

  /**
   * @param settings those in force now
   * @param ours whether this process keeps the mark of a room; may change
   * @param nanos a clock that only goes forward, in nanoseconds
   */
  public HotMarks(
      RedisLink link,
      HotRooms hotRooms,
      Supplier<SettingsView> settings,
      Predicate<String> ours,
      LongSupplier nanos) {
    this.link = link;
    this.hotRooms = hotRooms;
    this.settings = settings;
    this.ours = ours;
    this.nanos = nanos;
  }

  /** Begins to keep marks; returns at once. */
  public void start() {
    hotRooms.onChange(this::note);
    var unused =
        thread.scheduleWithFixedDelay(this::round, 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void note(HotRooms.Change change) {
    String roomId = change.roomId();
    if (notes.size() < MAX_NOTES && (marks.containsKey(roomId) || ours.test(roomId))) {
      long number = changes.incrementAndGet();
      long now = nanos.getAsLong();
      notes.compute(roomId, (id, note) -> new Note(note == null ? now : note.since(), number));
      if (change.isTurn()) {
        wake();
      }
    }
  }

  /** A turn isn't kept waiting for the next round, unless Redis is away. */
  private void wake() {
    if (!doubtful && woken.compareAndSet(false, true)) {
      try {
        thread.execute(this::round);
      } catch (RejectedExecutionException e) {
        LOG.debug("Closed already");
      }
    }
  }

  private void round() {
    woken.set(false);
    try {
      if (doubtful) {
        link.call(UnifiedJedis::ping);
      }
      write();
      doubtful = false;
    } catch (RedisUnavailableException e) {
      doubtful = true;
      LOG.debug("Marks are not written: {}", e.getMessage());
    } catch (RuntimeException e) {
      doubtful = true;
      LOG.error("Marks could not be written", e);
    }
  }

  private void write() throws RedisUnavailableException {
    // Before what should be is looked at, so that a change in between is seen the next time.
    Map<String, Note> seen = Map.copyOf(notes);
    long now = nanos.getAsLong();
    List<HotVerdict> toWrite = new ArrayList<>();
    for (HotVerdict verdict : hotRooms.all()) {
      if (ours.test(verdict.roomId()) && isDue(verdict.roomId(), seen, now)) {
        toWrite.add(verdict);
      }
    }
    List<String> toRemove =
        marks.keySet().stream().filter(roomId -> !hotRooms.isHot(roomId)).toList();
    for (int i = 0; i < toWrite.size(); i += BATCH) {
      set(toWrite.subList(i, Math.min(i + BATCH, toWrite.size())), now);
    }
    for (int i = 0; i < toRemove.size(); i += BATCH) {
      remove(toRemove.subList(i, Math.min(i + BATCH, toRemove.size())));
    }
    seen.forEach(
        (roomId, note) ->
            notes.computeIfPresent(
                roomId,
                (id, present) ->
                    present.change() == note.change() ? null : new Note(now, present.change())));
  }

  private boolean isDue(String roomId, Map<String, Note> seen, long now) {
    Mark mark = marks.get(roomId);
    return mark == null
        || doubtful
        || seen.containsKey(roomId)
        || !mark.ttl().equals(ttl(roomId))
        || now - mark.at() >= mark.ttl().toNanos() / 3;
  }

  private Duration ttl(String roomId) {
    return settings.get().of(SettingKey.HOT_TTL, roomId);
  }

  private void set(List<HotVerdict> verdicts, long now) throws RedisUnavailableException {
    List<Mark> written = new ArrayList<>(verdicts.size());
    List<String> expiries = new ArrayList<>(2 * verdicts.size());
    for (HotVerdict verdict : verdicts) {
      Duration ttl = ttl(verdict.roomId());
      written.add(new Mark(verdict.since(), now, ttl));
      expiries.add(verdict.roomId());
      expiries.add(Long.toString(ttl.toMillis()));
    }
    inOneGo(
        pipeline -> {
          List<Response<?>> responses = new ArrayList<>(verdicts.size() + 1);
          for (int i = 0; i < verdicts.size(); i++) {
            HotVerdict verdict = verdicts.get(i);
            responses.add(
                pipeline.set(
                    key(verdict.roomId()).getBytes(UTF_8),
                    HotVerdictJson.write(verdict),
                    SetParams.setParams().px(written.get(i).ttl().toMillis())));
          }
          responses.add(pipeline.eval(ADD, List.of(ROOMS), expiries));
          return responses;
        });
    for (int i = 0; i < verdicts.size(); i++) {
      marks.put(verdicts.get(i).roomId(), written.get(i));
    }
    writes.add(verdicts.size());
  }

  private void remove(List<String> rooms) throws RedisUnavailableException {
    List<Object> removed =
        inOneGo(
            pipeline -> {
              List<Response<?>> responses = new ArrayList<>(rooms.size());
              for (String roomId : rooms) {
                responses.add(
                    pipeline.eval(
                        REMOVE,
                        List.of(key(roomId)),
                        List.of(Rfc3339.format(marks.get(roomId).since()))));
              }
              return responses;
            });
    List<String> gone = new ArrayList<>();
    for (int i = 0; i < rooms.size(); i++) {
      if (removed.get(i).equals(1L)) {
        gone.add(rooms.get(i));
      }
    }
    if (!gone.isEmpty()) {
      link.call(redis -> redis.zrem(ROOMS, gone.toArray(String[]::new)));
    }
    rooms.forEach(marks::remove);
    writes.add(rooms.size());
  }

  /** Commands of one round trip. */
  @FunctionalInterface
  private interface Commands {
    List<Response<?>> on(AbstractPipeline pipeline);
  }

  /** The answers; fails if one of them is an error. */
  private List<Object> inOneGo(Commands commands) throws RedisUnavailableException {
    return link.call(redis -> answers(redis, commands));
  }

  private static List<Object> answers(UnifiedJedis redis, Commands commands) {
    try (AbstractPipeline pipeline = redis.pipelined()) {
      List<Response<?>> responses = commands.on(pipeline);
      pipeline.sync();
      List<Object> answers = new ArrayList<>(responses.size());
      responses.forEach(response -> answers.add(response.get()));
      return answers;
    }
  }

  private static String key(String roomId) {
    return "hot:{" + roomId + "}";
  }

  /** Marks that this process keeps. */
  public int marks() {
    return marks.size();
  }

  /** Marks written, renewed and removed so far. */
  public long writes() {
    return writes.sum();
  }

  /** How long ago the oldest change was that isn't in Redis; zero when all are. */
  public Duration lag() {
    long now = nanos.getAsLong();
    return Duration.ofNanos(
        notes.values().stream().mapToLong(note -> Math.max(0, now - note.since())).max().orElse(0));
  }

  /** Stops; the marks expire, unless another process goes on keeping them. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
