package dev.sluice.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.Partitions;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.Topics;
import dev.sluice.hot.edge.EdgeCounters;
import dev.sluice.hot.edge.UnsentSums;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives {@link EdgeCounters} the time, and sends what they have counted to {@code
 * sluice.room-counts}: every 50 ms, and at once when a room has gathered much. What can't be sent
 * is sent again, until it is too old for any window. Thread-safe; started and closed once.
 */
public final class SumFlusher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SumFlusher.class);
  private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Between two flushes at least, however small the part of a threshold that wakes. */
  private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Short, since a sum that waits tells of a second that seems to be later than it was. */
  private static final Duration DELIVERY = Duration.ofSeconds(1);

  private static final int MAX_IN_FLIGHT = 1_000;
  private static final int MAX_UNSENT_CELLS = 200_000;
  private static final Duration STOP_WITHIN = Duration.ofSeconds(5);

  private final Topics topics;
  private final RecordWriter writer;
  private final UnsentSums unsent = new UnsentSums(MAX_UNSENT_CELLS);
  private final Semaphore inFlight = new Semaphore(MAX_IN_FLIGHT);
  private final Semaphore woken = new Semaphore(0);
  private final SteadyClock clock = new SteadyClock();
  private volatile boolean closing;
  private EdgeCounters counters;
  private Thread ticker;
  private Thread flusher;

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   */
  public SumFlusher(Map<String, Object> kafka, Topics topics) {
    this.topics = topics;
    this.writer =
        new RecordWriter(
            kafka,
            "sluice-room-sums",
            new CommandLog.Limits(DELIVERY, Duration.ZERO, MAX_IN_FLIGHT));
  }

  /** Flushes what is urgent soon; for any thread, and cheap. */
  public void wake() {
    woken.release();
  }

  /**
   * Starts; returns at once.
   *
   * @param counting woken by {@link #wake}; ticked and flushed by nobody else
   */
  public void start(EdgeCounters counting) {
    counters = counting;
    counters.tick(clock.getAsLong());
    ticker = new Thread(this::tick, "sluice-edge-clock");
    flusher = new Thread(this::run, "sluice-room-sums");
    ticker.setDaemon(true);
    flusher.setDaemon(true);
    ticker.start();
    flusher.start();
  }

  private void tick() {
    while (!closing) {
      counters.tick(clock.getAsLong());
      LockSupport.parkNanos(TICK_NANOS);
    }
  }

  private void run() {
    long flushedAt = System.nanoTime();
    while (!closing) {
      boolean isUrgent = awaitWake(flushedAt + FLUSH_NANOS - System.nanoTime());
      try {
        if (isUrgent && System.nanoTime() - flushedAt < FLUSH_NANOS) {
          counters.flushUrgent(clock.getAsLong()).forEach(unsent::add);
        } else {
          flushedAt = System.nanoTime();
          counters.flush(clock.getAsLong()).forEach(unsent::add);
        }
        send();
      } catch (RuntimeException e) {
        LOG.error("Sums of rooms were not sent", e);
      }
      LockSupport.parkNanos(BETWEEN_NANOS);
    }
  }

  private boolean awaitWake(long nanos) {
    try {
      if (woken.tryAcquire(Math.max(nanos, 0), TimeUnit.NANOSECONDS)) {
        woken.drainPermits();
        return true;
      }
    } catch (InterruptedException e) {
      closing = true;
    }
    return false;
  }

  /** Sends until nothing is left, or no more can be on its way, or the log is away. */
  private void send() {
    while (inFlight.tryAcquire()) {
      RoomSum sum = unsent.poll(clock.getAsLong(), RoomCountJson.MAX_CELLS);
      if (sum == null) {
        inFlight.release();
        return;
      }
      CompletableFuture<RecordMetadata> sent;
      try {
        sent = write(sum);
      } catch (IllegalArgumentException e) {
        inFlight.release();
        LOG.error("A sum of room {} can't be sent", sum.roomId(), e);
        continue;
      }
      boolean isRefused = sent.isCompletedExceptionally();
      CompletableFuture<RecordMetadata> unused =
          sent.whenComplete(
              (stored, failure) -> {
                if (failure != null) {
                  LOG.debug("A sum of room {} comes again", sum.roomId(), failure);
                  unsent.add(sum);
                }
                inFlight.release();
              });
      if (isRefused) {
        return;
      }
    }
  }

  private CompletableFuture<RecordMetadata> write(RoomSum sum) {
    byte[] key = sum.roomId().getBytes(UTF_8);
    int partition = Partitions.of(key, topics.partitions());
    return writer.write(
        new ProducerRecord<>(topics.roomCounts(), partition, key, RoomCountJson.write(sum)));
  }

  /** Sums given up since the log was away for longer than any window. */
  public long givenUp() {
    return unsent.givenUp();
  }

  /** Sends what has been counted until now, and stops within some seconds. */
  @Override
  public void close() {
    closing = true;
    if (flusher != null) {
      wake();
      join(flusher);
      join(ticker);
      counters.tick(clock.getAsLong());
      counters.flushAll(clock.getAsLong()).forEach(unsent::add);
      sendTheRest();
    }
    writer.close();
  }

  private void sendTheRest() {
    long until = System.nanoTime() + DELIVERY.toNanos();
    while (!unsent.isEmpty() && System.nanoTime() - until < 0) {
      send();
      if (!unsent.isEmpty()) {
        LockSupport.parkNanos(BETWEEN_NANOS);
      }
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join(STOP_WITHIN.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
