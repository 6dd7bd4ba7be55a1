package dev.sluice.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.params.SetParams;

/**
 * What was last read of rooms, shared by all instances for a moment: {@code feed:{room}} in Redis.
 * Whatever is wrong is a miss, soon: no caller waits, and no answer takes longer than {@link
 * #DEADLINE}. Thread-safe.
 */
public final class SharedFeedCache implements AutoCloseable {
  /** After which an answer is a miss. */
  public static final Duration DEADLINE = Duration.ofMillis(100);

  private static final Logger LOG = LoggerFactory.getLogger(SharedFeedCache.class);
  private static final int THREADS = 3;
  private static final int WAITING = 128;

  /** The value and what is left of its life, as of one moment. */
  private static final byte[] GET =
      "return {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}".getBytes(UTF_8);

  private final RedisLink link;
  private final ThreadPoolExecutor threads;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder shed = new LongAdder();

  /**
   * A value found.
   *
   * @param age how long ago it was put there
   */
  @SuppressWarnings("ArrayRecordComponent") // handed on as it was read
  public record Aged(byte[] value, Duration age) {}

  public SharedFeedCache(RedisLink link) {
    this.link = link;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            task -> {
              Thread thread = new Thread(task, "sluice-shared-feed-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /** What is kept of a room; empty if nothing is, or there is no answer in time. Never fails. */
  public CompletableFuture<Optional<Aged>> get(String room) {
    CompletableFuture<Optional<Aged>> answer = new CompletableFuture<>();
    if (!submit(
        () -> {
          // Whoever asked may have gone on without it.
          if (!answer.isDone()) {
            answer.complete(read(room));
          }
        })) {
      answer.complete(Optional.empty());
    }
    return answer
        .completeOnTimeout(Optional.empty(), DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((found, failure) -> (found.isPresent() ? hits : misses).increment());
  }

  /**
   * Keeps a value, if Redis takes it now; returns at once.
   *
   * @param value not to be changed any more
   * @param ttl from 1 ms
   */
  public void put(String room, byte[] value, Duration ttl) {
    var unused = submit(() -> write(room, value, ttl));
  }

  private boolean submit(Runnable task) {
    if (link.refuses()) {
      return false;
    }
    try {
      threads.execute(task);
      return true;
    } catch (RejectedExecutionException e) {
      shed.increment();
      return false;
    }
  }

  private Optional<Aged> read(String room) {
    try {
      List<?> found = (List<?>) link.call(redis -> redis.eval(GET, List.of(key(room)), List.of()));
      return found.get(0) instanceof byte[] kept
          ? aged(kept, (Long) found.get(1))
          : Optional.empty();
    } catch (RedisUnavailableException e) {
      LOG.debug("No shared feed of {}: {}", room, e.getMessage());
      return Optional.empty();
    }
  }

  /** The time to live goes before the value, since writers may differ in it. */
  private static Optional<Aged> aged(byte[] kept, long left) {
    if (kept.length < Integer.BYTES || left < 0) {
      return Optional.empty();
    }
    ByteBuffer buffer = ByteBuffer.wrap(kept);
    long age = Math.max(0, buffer.getInt() - left);
    byte[] value = new byte[buffer.remaining()];
    buffer.get(value);
    return Optional.of(new Aged(value, Duration.ofMillis(age)));
  }

  private void write(String room, byte[] value, Duration ttl) {
    byte[] kept =
        ByteBuffer.allocate(Integer.BYTES + value.length)
            .putInt(Math.toIntExact(ttl.toMillis()))
            .put(value)
            .array();
    try {
      link.call(redis -> redis.set(key(room), kept, SetParams.setParams().px(ttl.toMillis())));
    } catch (RedisUnavailableException e) {
      LOG.debug("The feed of {} is not shared: {}", room, e.getMessage());
    }
  }

  private static byte[] key(String room) {
    return ("feed:{" + room + "}").getBytes(UTF_8);
  }

  /** Values found so far. */
  public long hits() {
    return hits.sum();
  }

  /** Answers without a value so far, for whatever reason. */
  public long misses() {
    return misses.sum();
  }

  /** Calls not made so far, since too many waited already. */
  public long shed() {
    return shed.sum();
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
