package dev.sluice.kinesis;

import dev.sluice.kinesis.call.AnswerMemory;
import dev.sluice.kinesis.call.CallMeters;
import dev.sluice.kinesis.call.Operations;
import dev.sluice.kinesis.http.KinesisServer;
import dev.sluice.kinesis.log.ShardReader;
import dev.sluice.kinesis.log.ShardWriter;
import dev.sluice.kinesis.log.Streams;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.sluice.OwnStreams;
import dev.sluice.kinesis.table.StreamTable;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Serves Kinesis's protocol with streams in Kafka. Any number may run on the same topics, and each
 * serves every call. Started and closed once.
 */
public final class KinesisEndpoint implements AutoCloseable {
  /** As many as can read at a time. */
  private static final int THREADS = ShardReader.DEFAULT_CONSUMERS;

  private static final int WAITING = 1_024;
  private static final long IDLE_SECONDS = 30;

  private final StreamTable table;
  private final ShardWriter writer;

  /** Null if Sluice's own streams aren't offered. */
  private final OwnStreams own;

  private final ShardReader reader;
  private final Streams streams;
  private final ThreadPoolExecutor work;
  private final ScheduledExecutorService timer;
  private final KinesisServer server;

  /**
   * Needs no broker to be there yet.
   *
   * @param registry that takes its meters
   */
  public KinesisEndpoint(KinesisSettings settings, Clock clock, MeterRegistry registry) {
    CallMeters meters = new CallMeters(registry);
    AnswerMemory memory = new AnswerMemory(settings.http().bufferedBytes());
    String prefix = settings.prefix();
    table = new StreamTable(settings.kafka(), prefix + "kinesis-streams", settings.replication());
    writer =
        new ShardWriter(
            settings.kafka(), prefix, table, settings.account(), Set.copyOf(settings.topics()));
    own =
        settings.sessions() == null
            ? null
            : new OwnStreams(settings.kafka(), prefix, settings.sessions(), writer);
    reader = new ShardReader(settings.kafka(), prefix, clock, ShardReader.DEFAULT_CONSUMERS);
    Map<String, String> others = new HashMap<>();
    settings.topics().forEach(topic -> others.put(topic, topic));
    if (own != null) {
      others.putAll(OwnStreams.topics(prefix));
    }
    streams =
        new Streams(
            settings.kafka(),
            prefix,
            settings.replication(),
            table,
            writer,
            settings.account(),
            clock,
            Streams.TAKE_OVER,
            others);
    work =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            daemon("sluice-kinesis-work"),
            (refused, executor) -> {
              throw KinesisException.unavailable("Too much is under way. Try again.");
            });
    work.allowCoreThreadTimeOut(true);
    timer = Executors.newSingleThreadScheduledExecutor(daemon("sluice-kinesis-timer"));
    server =
        new KinesisServer(
            settings.http(),
            Operations.on(
                streams,
                own == null ? writer : own,
                reader,
                settings.account(),
                settings.secret(),
                work,
                timer,
                clock,
                memory,
                settings.throttle(),
                meters),
            clock,
            memory,
            meters);
  }

  private static ThreadFactory daemon(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Begins to follow the table and to listen.
   *
   * @throws IOException if it can't listen, for instance because the port is taken
   */
  public void start() throws IOException {
    table.start();
    streams.start();
    server.start();
  }

  /** The port it listens on. */
  public int port() {
    return server.port();
  }

  /** Completes once the streams that stood in the table at the start are known; never fails. */
  public CompletableFuture<Void> ready() {
    return table.ready();
  }

  /** Stops; returns within some seconds. What is being put is waited for. */
  @Override
  public void close() {
    server.close();
    timer.shutdownNow();
    work.shutdown();
    streams.close();
    writer.close();
    if (own != null) {
      own.close();
    }
    reader.close();
    table.close();
  }
}
