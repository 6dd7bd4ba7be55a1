package dev.sluice.bench.hot;

import dev.sluice.bench.Installation;
import dev.sluice.bench.process.RedisProcess;
import dev.sluice.bench.process.SluiceProcess;
import dev.sluice.bench.report.Report;
import dev.sluice.contract.EventKind;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.contract.Topics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import redis.clients.jedis.Jedis;

/** {@code bench hot}: from the event that crosses a threshold to the verdict that others read. */
@Command(
    name = "hot",
    description =
        "How soon a hot room is found, alone, beside a storm at the edge, and beside one in Kafka.",
    mixinStandardHelpOptions = true)
public final class HotCommand implements Callable<Integer> {
  private static final int THRESHOLD = 5_000;
  private static final int STORM_PER_SECOND = 250_000;
  private static final Duration START_AT_MOST = Duration.ofMinutes(3);
  private static final long TRIAL_AT_MOST_NANOS = 10_000_000_000L;
  private static final long LOOK_NANOS = 1_000_000;

  @Option(names = "--trials", defaultValue = "100", description = "Default: ${DEFAULT-VALUE}.")
  private int trials;

  @Option(names = "--quick", description = "Few trials: for trying.")
  private boolean quick;

  private final HttpClient http = HttpClient.newHttpClient();
  private int rooms;

  /** How long until the verdict was read, in microseconds, by each way of reading it. */
  private record Delays(Histogram query, Histogram stomp, Histogram redis) {
    Delays() {
      this(new Histogram(3), new Histogram(3), new Histogram(3));
    }

    void addTo(Report report, String when, String goal) {
      add(report, when + ", by query", query, goal);
      add(report, when + ", by STOMP", stomp, goal);
      add(report, when + ", in Redis", redis, goal);
    }

    private static void add(Report report, String what, Histogram delays, String goal) {
      report.add(what + " p50", "sluice", delays.getValueAtPercentile(50) / 1e3, "ms");
      report.add(what + " p99", "sluice", delays.getValueAtPercentile(99) / 1e3, "ms", goal);
      report.add(what + " max", "sluice", delays.getMaxValue() / 1e3, "ms");
    }
  }

  @Override
  public Integer call() throws Exception {
    int each = quick ? 10 : trials;
    Report report = new Report("hot", Instant.now());
    try (Installation.Scratch scratch = Installation.scratch("sluice-bench-hot");
        RedisProcess redis = RedisProcess.start(scratch.directory(), false);
        Jedis jedis = new Jedis("127.0.0.1", redis.port());
        SluiceProcess sluice = start(scratch, redis)) {
      sluice.awaitReady(START_AT_MOST);
      try (StompWatch stomp = new StompWatch(sluice.address());
          Edge edge = new Edge(sluice.kafka(), THRESHOLD)) {
        Trial trial = new Trial(edge, sluice.address(), stomp, jedis);
        say("Warming up");
        run(trial, quick ? 5 : 20);

        say("Alone: " + each + " rooms, one after another");
        run(trial, each).addTo(report, "alone", "under 200");

        say("Beside one room with %,d events a second at this edge".formatted(STORM_PER_SECOND));
        besideStorm(report, trial, edge, sluice.kafka(), each);

        say("Beside one room whose events come through Kafka under one key");
        besideRawStorm(report, trial, sluice, each);
      }
    }
    System.out.println();
    report.print(System.out);
    System.out.println("\nKept in " + report.save(Installation.results()));
    return 0;
  }

  private static SluiceProcess start(Installation.Scratch scratch, RedisProcess redis) {
    return SluiceProcess.start(
        SluiceProcess.Settings.fresh(
            Installation.sluiceJar(),
            Installation.javaOptions(),
            List.of("--sluice.redis.uri=redis://127.0.0.1:" + redis.port()),
            scratch.directory()));
  }

  private void besideStorm(Report report, Trial trial, Edge edge, String kafka, int each)
      throws Exception {
    String room = "storm";
    Edge.Storm storm = edge.storm(room, STORM_PER_SECOND);
    Delays delays;
    double perSecond;
    try (storm) {
      LockSupport.parkNanos(2_000_000_000L);
      delays = run(trial, each);
      perSecond = storm.perSecond();
    }
    delays.addTo(report, "beside a storm", "under 200");
    report.add("events of the storm", "sluice", perSecond, "/s", "250,000");
    long sent = storm.sent();
    await(() -> counted(kafka, room) == sent, "The storm isn't counted in full");
    report.addCount(
        "events of the storm sent and not counted", "sluice", sent - counted(kafka, room));
  }

  private void besideRawStorm(Report report, Trial trial, SluiceProcess sluice, int each)
      throws Exception {
    String room = "raw";
    try (RawStorm storm = new RawStorm(sluice.kafka(), room)) {
      await(() -> trial.stomp.hotAt(room) != null, "The raw storm isn't found");
      report.add(
          "a storm in Kafka found, by STOMP",
          "sluice",
          (trial.stomp.hotAt(room) - storm.crossedAt()) / 1e6,
          "ms");
      Delays delays = run(trial, each);
      storm.end();
      delays.addTo(report, "beside a storm in Kafka", "under 200");
      long ended = System.nanoTime();
      await(() -> counted(sluice.kafka(), room) == storm.sent(), "It isn't counted in full");
      double seconds = (System.nanoTime() - storm.begun()) / 1e9;
      report.add("events of the storm in Kafka", "sluice", storm.perSecond(), "/s");
      report.add("of them summed", "sluice", storm.sent() / seconds, "/s");
      report.add(
          "until all were counted, after its end",
          "sluice",
          (System.nanoTime() - ended) / 1e6,
          "ms");
      report.addCount(
          "events of the storm in Kafka sent and not counted",
          "sluice",
          storm.sent() - counted(sluice.kafka(), room));
    }
  }

  private static long counted(String kafka, String room) {
    try {
      return CountedSums.of(kafka, room);
    } catch (InvalidRecordException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(BooleanSupplier until, String otherwise) {
    long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
    while (!until.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(otherwise + " after 2 minutes.");
      }
      LockSupport.parkNanos(20_000_000);
    }
  }

  private Delays run(Trial trial, int times) throws Exception {
    Delays delays = new Delays();
    for (int i = 0; i < times; i++) {
      trial.run("trial-" + rooms++, delays);
    }
    return delays;
  }

  private static void say(String words) {
    System.out.println(words + " ...");
  }

  /** A room that becomes hot, watched from three sides. */
  private final class Trial {
    private final Edge edge;
    private final InetSocketAddress server;
    private final StompWatch stomp;
    private final Jedis jedis;

    Trial(Edge edge, InetSocketAddress server, StompWatch stomp, Jedis jedis) {
      this.edge = edge;
      this.server = server;
      this.stomp = stomp;
      this.jedis = jedis;
    }

    /** Counts 25 events a millisecond until the threshold is crossed, and then watches. */
    void run(String room, Delays delays) throws Exception {
      for (int counted = 0; counted < THRESHOLD; counted += 25) {
        edge.count(room, 25);
        LockSupport.parkNanos(1_000_000);
      }
      long crossed = System.nanoTime();
      edge.count(room, 1);
      AtomicLong byQuery = new AtomicLong();
      AtomicReference<Exception> failure = new AtomicReference<>();
      Thread asking =
          new Thread(
              () -> {
                try {
                  while (!isHot(room)) {
                    check(crossed, room);
                    LockSupport.parkNanos(LOOK_NANOS);
                  }
                  byQuery.set(System.nanoTime());
                } catch (IOException | InterruptedException | RuntimeException e) {
                  failure.set(new IllegalStateException(e));
                }
              });
      asking.start();
      while (jedis.get("hot:{" + room + "}") == null) {
        check(crossed, room);
        LockSupport.parkNanos(LOOK_NANOS);
      }
      long inRedis = System.nanoTime();
      asking.join();
      while (stomp.hotAt(room) == null) {
        check(crossed, room);
        LockSupport.parkNanos(LOOK_NANOS);
      }
      if (failure.get() != null) {
        throw failure.get();
      }
      record(delays.query(), byQuery.get() - crossed);
      record(delays.stomp(), stomp.hotAt(room) - crossed);
      record(delays.redis(), inRedis - crossed);
    }

    private void record(Histogram histogram, long nanos) {
      histogram.recordValue(Math.max(0, nanos / 1_000));
    }

    private void check(long crossed, String room) {
      if (System.nanoTime() - crossed > TRIAL_AT_MOST_NANOS) {
        throw new IllegalStateException(room + " isn't hot 10 s after it crossed its threshold.");
      }
    }

    private boolean isHot(String room) throws IOException, InterruptedException {
      URI uri = URI.create("http://127.0.0.1:" + server.getPort() + "/api/rooms/" + room);
      HttpResponse<String> answer =
          http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      return answer.body().contains("\"hot\":true");
    }
  }

  /** Events of one room, under one key that isn't its own, as fast as Kafka takes them. */
  private static final class RawStorm implements AutoCloseable {
    private static final int AT_ONCE = 1_000;

    private final KafkaProducer<byte[], byte[]> producer;
    private final Thread thread;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final AtomicLong crossedAt = new AtomicLong();
    private final long begun = System.nanoTime();
    private volatile boolean over;
    private volatile long sent;
    private volatile long endedAt;

    RawStorm(String kafka, String room) {
      producer =
          new KafkaProducer<>(
              Map.of(
                  "bootstrap.servers", kafka, "acks", "all", "linger.ms", 5, "batch.size", 262_144),
              new ByteArraySerializer(),
              new ByteArraySerializer());
      String topic = new Topics(Topics.DEFAULT_PREFIX, Topics.DEFAULT_PARTITIONS).roomEvents();
      byte[] key = "one-key".getBytes(StandardCharsets.UTF_8);
      byte[] value =
          RoomEventJson.write(
              new RoomEvent(EventKind.MESSAGE, room, "u-1", "KR", "ios", "{\"text\":\"hello\"}"));
      thread =
          new Thread(
              () -> {
                long count = 0;
                while (!over) {
                  for (int i = 0; i < AT_ONCE; i++) {
                    Future<RecordMetadata> unused =
                        producer.send(
                            new ProducerRecord<>(topic, key, value),
                            (stored, e) -> {
                              if (e != null) {
                                failure.compareAndSet(null, e);
                              }
                            });
                    if (++count == THRESHOLD + 1) {
                      crossedAt.set(System.nanoTime());
                    }
                  }
                  sent = count;
                }
                producer.flush();
                endedAt = System.nanoTime();
              },
              "raw-storm");
      thread.start();
    }

    long begun() {
      return begun;
    }

    long crossedAt() {
      return crossedAt.get();
    }

    long sent() {
      return sent;
    }

    double perSecond() {
      return sent / ((endedAt - begun) / 1e9);
    }

    void end() throws InterruptedException {
      over = true;
      thread.join();
      if (failure.get() != null) {
        throw new IllegalStateException("an event isn't in the log", failure.get());
      }
    }

    @Override
    public void close() throws InterruptedException {
      over = true;
      thread.join();
      producer.close();
    }
  }
}
