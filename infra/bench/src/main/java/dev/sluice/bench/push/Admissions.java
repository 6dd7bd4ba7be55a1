package dev.sluice.bench.push;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.bench.Installation;
import dev.sluice.bench.process.SluiceProcess;
import dev.sluice.bench.report.Report;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.OutcomeJson;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Topics;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Everyone who waits in a whole Sluice is admitted at once, and hears of it. */
final class Admissions {
  private static final Duration AT_MOST = Duration.ofMinutes(3);
  private static final String SLUICE = "sluice";
  private static final long SYNCS_MILLIS = 5_500;

  private Admissions() {}

  static void measure(Report report, int people) throws IOException, InterruptedException {
    try (Installation.Scratch scratch = Installation.scratch("sluice-bench-admissions");
        SluiceProcess sluice =
            SluiceProcess.start(
                SluiceProcess.Settings.fresh(
                    Installation.sluiceJar(),
                    Installation.javaOptions(),
                    List.of("--sluice.push.max-connections=18000"),
                    scratch.directory()))) {
      sluice.awaitReady(AT_MOST);
      Queue queue = new Queue(sluice.address());
      queue.setCapacity(0);
      try (Waiters waiters = new Waiters(sluice.address())) {
        queue.enter(people, waiters);
        waiters.come(AT_MOST);
        ranks(report, waiters);
        admissions(report, sluice, queue, waiters);
      }
    }
  }

  /** Nobody moves, so that ranks come in the full rounds alone. */
  private static void ranks(Report report, Waiters waiters) throws InterruptedException {
    Thread.sleep(SYNCS_MILLIS);
    waiters.mark();
    Thread.sleep(SYNCS_MILLIS);
    report.add(
        "a round of ranks, first to last", SLUICE, waiters.ranksTook().toNanos() / 1e6, "ms");
  }

  private static void admissions(Report report, SluiceProcess sluice, Queue queue, Waiters waiters)
      throws IOException, InterruptedException {
    try (Commits commits = new Commits(sluice.kafka())) {
      long start = System.nanoTime();
      queue.setCapacity(waiters.all().size());
      Waiters.await(
          () -> waiters.all().stream().allMatch(Waiter::isAdmitted),
          AT_MOST,
          "Not everyone heard that they may go in");
      Waiters.await(
          () -> commits.seen().size() == waiters.all().size(),
          AT_MOST,
          "Not every admission was committed");
      Histogram afterCommit = new Histogram(3);
      Histogram afterSetting = new Histogram(3);
      for (Waiter waiter : waiters.all()) {
        long committed = commits.seen().get(waiter.name());
        afterCommit.recordValue(Math.max(0, (waiter.admittedAtNanos() - committed) / 1_000));
        afterSetting.recordValue((waiter.admittedAtNanos() - start) / 1_000);
      }
      report.add(
          "admitted, from seeing the commit to the frame, p50",
          SLUICE,
          afterCommit.getValueAtPercentile(50) / 1e3,
          "ms");
      report.add(
          "admitted, from seeing the commit to the frame, p99",
          SLUICE,
          afterCommit.getValueAtPercentile(99) / 1e3,
          "ms");
      report.add(
          "admitted, from the new capacity to the frame, p50",
          SLUICE,
          afterSetting.getValueAtPercentile(50) / 1e3,
          "ms");
      report.add(
          "admitted, from the new capacity to the last frame",
          SLUICE,
          afterSetting.getMaxValue() / 1e3,
          "ms");
      report.addCount("admissions told twice", SLUICE, waiters.twice());
      report.addCount("ranks that rose", SLUICE, waiters.rose());
    }
  }

  /** When a reader of what is committed sees each admission. */
  private static final class Commits implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(20);

    private final Map<String, Long> seenAtNanos = new ConcurrentHashMap<>();
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Thread thread;
    private volatile boolean over;

    Commits(String kafka) {
      consumer =
          new KafkaConsumer<>(
              Map.of(
                  ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                  kafka,
                  ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                  "read_committed",
                  ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                  5_000),
              new ByteArrayDeserializer(),
              new ByteArrayDeserializer());
      String topic = new Topics(Topics.DEFAULT_PREFIX, Topics.DEFAULT_PARTITIONS).outcomes();
      List<TopicPartition> all =
          IntStream.range(0, Topics.DEFAULT_PARTITIONS)
              .mapToObj(partition -> new TopicPartition(topic, partition))
              .toList();
      consumer.assign(all);
      consumer.seekToEnd(all);
      new ArrayList<>(all).forEach(consumer::position);
      thread = new Thread(this::read, "commits");
      thread.start();
    }

    Map<String, Long> seen() {
      return seenAtNanos;
    }

    private void read() {
      while (!over) {
        var records = consumer.poll(POLL);
        long now = System.nanoTime();
        for (ConsumerRecord<byte[], byte[]> record : records) {
          see(record, now);
        }
      }
      consumer.close();
    }

    private void see(ConsumerRecord<byte[], byte[]> record, long now) {
      try {
        Outcome outcome = OutcomeJson.read(new String(record.key(), UTF_8), record.value());
        if (outcome instanceof Outcome.PersonChanged change
            && change.status() == PersonStatus.ADMITTED) {
          seenAtNanos.putIfAbsent(change.requestId(), now);
        }
      } catch (InvalidRecordException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() throws InterruptedException {
      over = true;
      thread.join();
    }
  }
}
