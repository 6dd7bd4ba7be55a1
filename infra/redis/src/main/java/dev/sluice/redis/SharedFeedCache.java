package dev.sluice.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

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

/**
 * What was last read of rooms, shared by all instances for a moment: {@code feed:{room}} in Redis.
 * Whoever may read leaves a ticket with the time to live of an entry; what they then put has as
 * long to live as their ticket has left, so that its age is counted from before it was read.
 * Whatever is wrong is a miss, soon: no caller waits, and no answer takes longer than {@link
 * #DEADLINE}. Thread-safe.
 */
public final class SharedFeedCache implements AutoCloseable {
  /** After which an answer is a miss. */
  public static final Duration DEADLINE = Duration.ofMillis(100);

  private static final Logger LOG = LoggerFactory.getLogger(SharedFeedCache.class);
  private static final int THREADS = 3;
  private static final int WAITING = 128;

  /** Leaves a ticket; gives the value and what is left of its life, as of one moment. */
  private static final byte[] GET =
      """
      redis.call('SET', KEYS[2], '', 'PX', ARGV[1])
      return {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}
      """
          .getBytes(UTF_8);

  /** Keeps a value for as long as its ticket lives, unless a younger one is there. */
  private static final byte[] PUT =
      """
      local left = redis.call('PTTL', KEYS[2])
      if left <= 0 or left <= redis.call('PTTL', KEYS[1]) then
        return 0
      end
      redis.call('SET', KEYS[1], ARGV[1], 'PX', left)
      return 1
      """
          .getBytes(UTF_8);

  private final RedisLink link;
  private final long keptMillis;
  private final ThreadPoolExecutor threads;
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder shed = new LongAdder();

  /**
   * A value found.
   *
   * @param age since the ticket was left that it was put with
   */
  @SuppressWarnings("ArrayRecordComponent") // handed on as it was read
  public record Aged(byte[] value, Duration age) {}

  /**
   * @param kept how long an entry and a ticket live; the same for all instances
   */
  public SharedFeedCache(RedisLink link, Duration kept) {
    this.link = link;
    this.keptMillis = kept.toMillis();
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

  /**
   * What is kept of a room; empty if nothing is, or there is no answer in time. Never fails.
   *
   * @param ticket that is left, never used before
   */
  public CompletableFuture<Optional<Aged>> get(String room, String ticket) {
    CompletableFuture<Optional<Aged>> answer = new CompletableFuture<>();
    if (!submit(
        () -> {
          // Whoever asked may have gone on without it.
          if (!answer.isDone()) {
            answer.complete(read(room, ticket));
          }
        })) {
      answer.complete(Optional.empty());
    }
    return answer
        .completeOnTimeout(Optional.empty(), DEADLINE.toMillis(), TimeUnit.MILLISECONDS)
        .whenComplete((found, failure) -> (found.isPresent() ? hits : misses).increment());
  }

  /**
   * Keeps a value, if Redis takes it now and the ticket lives; returns at once.
   *
   * @param value not to be changed any more
   */
  public void put(String room, String ticket, byte[] value) {
    var unused = submit(() -> write(room, ticket, value));
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

  private Optional<Aged> read(String room, String ticket) {
    List<byte[]> kept = List.of(Long.toString(keptMillis).getBytes(UTF_8));
    try {
      List<?> found = (List<?>) link.call(redis -> redis.eval(GET, keys(room, ticket), kept));
      long left = (Long) found.get(1);
      return found.get(0) instanceof byte[] value && left >= 0
          ? Optional.of(new Aged(value, Duration.ofMillis(Math.max(0, keptMillis - left))))
          : Optional.empty();
    } catch (RedisUnavailableException e) {
      LOG.debug("No shared feed of {}: {}", room, e.getMessage());
      return Optional.empty();
    }
  }

  private void write(String room, String ticket, byte[] value) {
    try {
      link.call(redis -> redis.eval(PUT, keys(room, ticket), List.of(value)));
    } catch (RedisUnavailableException e) {
      LOG.debug("The feed of {} is not shared: {}", room, e.getMessage());
    }
  }

  /** Of one slot in a cluster. */
  private static List<byte[]> keys(String room, String ticket) {
    String feed = "feed:{" + room + "}";
    return List.of(feed.getBytes(UTF_8), (feed + ":" + ticket).getBytes(UTF_8));
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
