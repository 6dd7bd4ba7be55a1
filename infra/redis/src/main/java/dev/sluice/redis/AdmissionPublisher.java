package dev.sluice.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.Outcome;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes who was admitted and whose place expired on a channel of Redis, beside the stream that
 * tells it too: {@link AdmissionSubscriber} hears it. Whoever tells an outcome never waits: it is
 * queued, and published by a thread of its own; of what Redis doesn't take in time the oldest is
 * dropped. Thread-safe; started and closed once.
 */
public final class AdmissionPublisher implements Consumer<Outcome>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AdmissionPublisher.class);

  private static final int WAITING = 10_000;
  private static final int BATCH = 200;
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);

  /** Many messages in one round trip, on a cluster too. */
  private static final byte[] PUBLISH =
      """
      for i = 1, #ARGV do
        redis.call('PUBLISH', KEYS[1], ARGV[i])
      end
      return #ARGV
      """
          .getBytes(UTF_8);

  private final RedisLink link;
  private final RelaySeal seal;
  private final IntPredicate ours;
  private final BlockingQueue<Outcome> waiting = new ArrayBlockingQueue<>(WAITING);
  private final LongAdder published = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final Thread thread = new Thread(this::run, "sluice-admission-publisher");

  private volatile boolean closed;

  /**
   * @param key of the relay, known to publishers and subscribers alone
   * @param ours whether this process tells of a partition; may change
   */
  public AdmissionPublisher(
      RedisLink link, String channel, byte[] key, IntPredicate ours, Clock clock) {
    this.link = link;
    this.seal = new RelaySeal(channel, key, clock);
    this.ours = ours;
    thread.setDaemon(true);
  }

  /** Begins to publish; returns at once. */
  public void start() {
    thread.start();
  }

  /** Publishes an outcome, if it is one to be relayed; returns at once. */
  @Override
  public void accept(Outcome outcome) {
    if (!RelaySeal.isRelayed(outcome) || !ours.test(outcome.version().partition())) {
      return;
    }
    while (!waiting.offer(outcome)) {
      if (waiting.poll() != null) {
        dropped.increment();
      }
    }
  }

  private void run() {
    try {
      while (!closed) {
        List<Outcome> batch = new ArrayList<>();
        batch.add(waiting.take());
        waiting.drainTo(batch, BATCH - 1);
        if (!publish(batch)) {
          dropped.add(batch.size());
          TimeUnit.NANOSECONDS.sleep(PAUSE_AFTER_FAILURE.toNanos());
        }
      }
    } catch (InterruptedException e) {
      LOG.debug("Closed");
    }
  }

  private boolean publish(List<Outcome> batch) {
    try {
      List<byte[]> messages = batch.stream().map(seal::seal).toList();
      link.call(redis -> redis.eval(PUBLISH, List.of(seal.channel()), messages));
      published.add(messages.size());
      return true;
    } catch (RedisUnavailableException e) {
      LOG.debug("Admissions are not relayed: {}", e.getMessage());
      return false;
    } catch (RuntimeException e) {
      LOG.error("Admissions could not be relayed", e);
      return false;
    }
  }

  /** Outcomes published so far. */
  public long published() {
    return published.sum();
  }

  /** Outcomes not published so far, since Redis didn't take them in time. */
  public long dropped() {
    return dropped.sum();
  }

  /** Stops; what waits is not published. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
