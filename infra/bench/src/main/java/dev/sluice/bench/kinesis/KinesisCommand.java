package dev.sluice.bench.kinesis;

import dev.sluice.bench.Installation;
import dev.sluice.bench.http.HttpLoop;
import dev.sluice.bench.kinesis.Protocol.Page;
import dev.sluice.bench.kinesis.Rivals.Rival;
import dev.sluice.bench.process.SluiceProcess;
import dev.sluice.bench.report.Report;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench kinesis}: putting and reading by Kinesis's protocol. */
@Command(
    name = "kinesis",
    description =
        "PutRecords and GetRecords by Kinesis's protocol, beside kinesalite and kinesis-local, which"
            + " keep records in memory, and beside a producer of Kafka.",
    mixinStandardHelpOptions = true)
public final class KinesisCommand implements Callable<Integer> {
  private static final Duration AT_MOST = Duration.ofMinutes(2);
  private static final int SHARDS = 4;
  private static final int DIFFERENT_REQUESTS = 64;
  private static final int[] BATCHES = {100, 500};
  private static final int[] CONNECTIONS = {1, 8};
  private static final long SEED = 20_131_202;

  @Option(
      names = "--seconds",
      defaultValue = "10",
      description = "Each. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--warm-up",
      defaultValue = "10",
      description = "Seconds before each that aren't counted. Default: ${DEFAULT-VALUE}.")
  private int warmUp;

  @Option(names = "--quick", description = "For less time: for trying.")
  private boolean quick;

  @Override
  public Integer call() throws Exception {
    if (quick) {
      seconds = Math.min(seconds, 2);
      warmUp = Math.min(warmUp, 1);
    }
    Report report = new Report("kinesis", Instant.now());
    try (Installation.Scratch scratch = Installation.scratch("sluice-bench-kinesis")) {
      System.out.println("installing what it is compared with ...");
      Path theirs = Files.createDirectory(scratch.directory().resolve("rivals"));
      Rivals rivals = new Rivals(theirs);
      double best = sluice(report, scratch.directory());
      double kinesalite = rival(report, "kinesalite", rivals::kinesalite);
      rival(report, "kinesis-local", rivals::kinesisLocal);
      report.add(
          "batches of 500 on 8 connections, times kinesalite",
          "sluice",
          best / kinesalite,
          "x",
          "10 or more");
    }
    System.out.println();
    report.print(System.out);
    System.out.println("\nKept in " + report.save(Installation.results()));
    return 0;
  }

  private double sluice(Report report, Path directory) throws IOException {
    try (SluiceProcess sluice =
        SluiceProcess.start(
            SluiceProcess.Settings.fresh(
                Installation.sluiceJar(),
                Installation.javaOptions(),
                List.of(),
                directory.resolve("sluice")))) {
      sluice.awaitReady(AT_MOST);
      double best = measure(report, "sluice", sluice.kinesis());
      try (PlainProducer producer = new PlainProducer(sluice.kafka(), SHARDS)) {
        System.out.println("a producer of kafka ...");
        producer.run(Duration.ofSeconds(warmUp));
        double plain = producer.run(Duration.ofSeconds(seconds));
        report.add("put by a producer, acks=all", "kafka", plain, "records/s");
        report.add(
            "batches of 500 on 8 connections, share of the producer's",
            "sluice",
            100 * best / plain,
            "%");
      }
      return best;
    }
  }

  private double rival(Report report, String name, Supplier<Rival> start) throws IOException {
    try (Rival rival = start.get()) {
      return measure(
          report, name, new InetSocketAddress(InetAddress.getLoopbackAddress(), rival.port()));
    }
  }

  /** Returns records a second in the largest batches on most connections. */
  private double measure(Report report, String of, InetSocketAddress server) throws IOException {
    System.out.println(of + " ...");
    Protocol protocol = new Protocol(server);
    protocol.awaitServing();
    double rate = 0;
    Puts puts = null;
    for (int batch : BATCHES) {
      for (int connections : CONNECTIONS) {
        String stream = "puts-%d-%d".formatted(batch, connections);
        protocol.create(stream, SHARDS);
        puts = new Puts(protocol, stream, batch);
        rate = puts.run(server, connections);
        String what = "put, %d a call, %d at a time".formatted(batch, connections);
        report.add(what, of, rate, "records/s");
        report.add(what + ", p50", of, puts.times.getValueAtPercentile(50) / 1e3, "ms");
        report.add(what + ", p99", of, puts.times.getValueAtPercentile(99) / 1e3, "ms");
        report.addCount(what + ", failed", of, puts.failed);
      }
    }
    read(report, of, protocol, server, puts);
    return rate;
  }

  private static void read(
      Report report, String of, Protocol protocol, InetSocketAddress server, Puts puts)
      throws IOException {
    try (HttpLoop loop = new HttpLoop(server, SHARDS)) {
      Reads reads = new Reads(protocol, loop);
      long start = System.nanoTime();
      for (String iterator : protocol.iterators(puts.stream, SHARDS)) {
        reads.from(iterator);
      }
      loop.run(() -> loop.unanswered() == 0);
      report.add(
          "read, " + SHARDS + " shards at a time",
          of,
          reads.records * 1e9 / (System.nanoTime() - start),
          "records/s");
      report.addCount("read, missing", of, Math.max(0, puts.stored - reads.records));
    }
  }

  /** One call after another on each connection. */
  private final class Puts {
    private final String stream;
    private final int batch;
    private final List<byte[]> requests;
    private final Histogram times = new Histogram(3);
    private HttpLoop loop;
    private int next;
    private boolean stopped;
    private long stored;
    private long failed;

    Puts(Protocol protocol, String stream, int batch) {
      this.stream = stream;
      this.batch = batch;
      Random random = new Random(SEED);
      requests =
          IntStream.range(0, DIFFERENT_REQUESTS)
              .mapToObj(i -> protocol.putRecords(stream, batch, random))
              .toList();
    }

    double run(InetSocketAddress server, int connections) throws IOException {
      try (HttpLoop opened = new HttpLoop(server, connections)) {
        loop = opened;
        for (int i = 0; i < connections; i++) {
          send();
        }
        runFor(warmUp);
        times.reset();
        long before = stored;
        long start = System.nanoTime();
        runFor(seconds);
        double rate = (stored - before) * 1e9 / (System.nanoTime() - start);
        stopped = true;
        loop.run(() -> loop.unanswered() == 0);
        return rate;
      }
    }

    private void runFor(int duration) throws IOException {
      long end = System.nanoTime() + Duration.ofSeconds(duration).toNanos();
      loop.run(() -> System.nanoTime() - end > 0);
    }

    private void send() {
      long start = System.nanoTime();
      loop.send(
          requests.get(next++ % DIFFERENT_REQUESTS),
          new HttpLoop.Callback() {
            @Override
            public void answered(int status, byte[] body) {
              times.recordValue((System.nanoTime() - start) / 1_000);
              Puts.this.answered(status, body);
            }

            @Override
            public void failed(IOException cause) {
              throw new UncheckedIOException(cause);
            }
          });
    }

    private void answered(int status, byte[] body) {
      int lost = status == 200 ? failedIn(body) : batch;
      failed += lost;
      stored += batch - lost;
      if (!stopped) {
        send();
      }
    }
  }

  private static int failedIn(byte[] body) {
    try {
      return Protocol.failed(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads each shard to its end. */
  private static final class Reads {
    private final Protocol protocol;
    private final HttpLoop loop;
    private long records;

    Reads(Protocol protocol, HttpLoop loop) {
      this.protocol = protocol;
      this.loop = loop;
    }

    void from(String iterator) {
      loop.send(
          protocol.getRecords(iterator),
          new HttpLoop.Callback() {
            @Override
            public void answered(int status, byte[] body) {
              if (status != 200) {
                throw new IllegalStateException("a read is answered " + status);
              }
              goOn(body);
            }

            @Override
            public void failed(IOException cause) {
              throw new UncheckedIOException(cause);
            }
          });
    }

    private void goOn(byte[] body) {
      Page page;
      try {
        page = Protocol.page(body);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      records += page.records();
      if (page.records() > 0 || page.millisBehindLatest() > 0) {
        from(page.next());
      }
    }
  }
}
