package dev.sluice.streams;

import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka Streams application as it runs in this process. A stream thread that dies of an exception
 * is replaced, after a pause that grows while that goes on; an error of the JVM ends the
 * application.
 */
public final class StreamsApplication implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StreamsApplication.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final String name;
  private final KafkaStreams streams;
  private final AtomicLong replaced = new AtomicLong();
  private volatile boolean hasRun;
  private long lastDeathNanos = System.nanoTime() - QUIET_NANOS;
  private Duration pause = FIRST_PAUSE;

  /**
   * @param name for the log
   */
  public StreamsApplication(String name, Topology topology, Properties settings) {
    this(name, new KafkaStreams(topology, settings));
  }

  /**
   * @param name for the log
   * @param clients makes its clients of Kafka
   */
  public StreamsApplication(
      String name, Topology topology, Properties settings, KafkaClientSupplier clients) {
    this(name, new KafkaStreams(topology, settings, clients));
  }

  private StreamsApplication(String name, KafkaStreams streams) {
    this.name = name;
    this.streams = streams;
    streams.setUncaughtExceptionHandler(this::onDeath);
    streams.setStateListener(
        (now, before) -> {
          if (now == KafkaStreams.State.RUNNING) {
            hasRun = true;
          }
        });
  }

  public void start() {
    streams.start();
  }

  private StreamThreadExceptionResponse onDeath(Throwable death) {
    if (isErrorOfTheJvm(death)) {
      LOG.error("The application {} ends", name, death);
      return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }
    LOG.warn("A stream thread of {} died and is replaced", name, death);
    replaced.incrementAndGet();
    rest();
    return StreamThreadExceptionResponse.REPLACE_THREAD;
  }

  private static boolean isErrorOfTheJvm(Throwable death) {
    for (Throwable cause = death; cause != null; cause = cause.getCause()) {
      if (cause instanceof Error) {
        return true;
      }
    }
    return false;
  }

  private synchronized void rest() {
    long now = System.nanoTime();
    boolean quiet = now - lastDeathNanos > QUIET_NANOS;
    pause = quiet ? FIRST_PAUSE : min(pause.multipliedBy(2), LONGEST_PAUSE);
    lastDeathNanos = now;
    try {
      Thread.sleep(pause.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Duration min(Duration a, Duration b) {
    return a.compareTo(b) < 0 ? a : b;
  }

  /** Whether it has been running and hasn't ended; it goes on answering while it rebalances. */
  public boolean isUp() {
    return hasRun && streams.state().isRunningOrRebalancing();
  }

  /** Whether it has ended and won't come back. */
  public boolean hasFailed() {
    return streams.state() == KafkaStreams.State.ERROR;
  }

  /** Its state, by the name that Kafka Streams gives it. */
  public String state() {
    return streams.state().name();
  }

  /** Stream threads that died and were replaced. */
  public long threadsReplaced() {
    return replaced.get();
  }

  /** For metadata of owners. */
  public KafkaStreams streams() {
    return streams;
  }

  /** Stops it and leaves the group, so that others take over at once. */
  public void close(Duration atMost) {
    streams.close(
        CloseOptions.timeout(atMost)
            .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(10));
  }
}
