package dev.sluice.kinesis.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardFilterType;

/**
 * KCL 2 and 3, by polling and by fan-out: four applications that consume one stream at a time,
 * first as it is, then while it is resharded and workers are killed; and one that consumes
 * outcomes.
 */
@Tag("slow")
@EnabledIf(value = Node.IS_THERE, disabledReason = Node.ABSENT)
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class KclTest {
  private static final String STREAM = "consumed";
  private static final int BATCH = 5;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static final List<AutoCloseable> OPEN = new ArrayList<>();
  private static final List<KclApplication> APPLICATIONS = new ArrayList<>();

  /** How many of each key there are. */
  private static final AtomicInteger WRITTEN = new AtomicInteger();

  private static KinesisClient client;

  /** Consumes Sluice's own stream. */
  private static KclApplication outcomes;

  @BeforeAll
  static void start() throws Exception {
    Node.install();
    LeaseTables tables = new LeaseTables();
    OPEN.add(tables);
    client = Endpoints.client();
    OPEN.add(client);
    Endpoints.create(client, STREAM, 3);
    for (String version : List.of("2", "3")) {
      for (String retrieval : List.of("polling", "fan-out")) {
        APPLICATIONS.add(start(tables, version, retrieval, STREAM, Numbered::of));
      }
    }
    await().until(() -> client.listStreams().streamNames().contains(Outcomes.STREAM));
    outcomes = start(tables, "3", "fan-out", Outcomes.STREAM, Outcomes::numbered);
  }

  private static KclApplication start(
      LeaseTables tables,
      String version,
      String retrieval,
      String stream,
      BiFunction<String, String, Numbered> numbered)
      throws IOException {
    KclApplication application =
        new KclApplication(version, retrieval, stream, numbered, Endpoints.port(), tables.port());
    OPEN.add(application);
    tables.create(application.name());
    application.startWorker();
    return application;
  }

  @AfterAll
  static void stop() throws Exception {
    for (int i = OPEN.size() - 1; i >= 0; i--) {
      OPEN.get(i).close();
    }
  }

  /** First, since it is written while the applications begin. */
  @Test
  @Order(1)
  void ofOutcomesOfSluiceAllThatAreCommittedAreProcessedInOrderOfTheirRooms() throws Exception {
    Outcomes.write();

    awaitProcessed(outcomes, Numbered.EACH);
    Numbered.assertAllInOrder(outcomes.processed(), Numbered.KEYS, Numbered.EACH);
    outcomes.close();
  }

  @Test
  @Order(2)
  void everyApplicationProcessesAllRecordsInOrderOfTheirKeys() {
    while (WRITTEN.get() < Numbered.EACH) {
      write(BATCH);
    }

    assertAllProcessed();
  }

  @Test
  @Order(3)
  void nothingIsMissingAfterASplitAMergeAndAKilledWorker() throws Exception {
    ScheduledExecutorService producer = Executors.newSingleThreadScheduledExecutor();
    OPEN.add(producer::shutdownNow);
    ScheduledFuture<?> writing =
        producer.scheduleWithFixedDelay(() -> write(1), 0, 250, TimeUnit.MILLISECONDS);
    List<Shard> before = openShards();

    split(before.get(0));
    awaitProcessed(WRITTEN.get() + 1);
    merge(before.get(1), before.get(2));
    for (KclApplication application : APPLICATIONS) {
      application.killWorker();
      application.startWorker();
    }
    awaitProcessed(WRITTEN.get() + 1);
    writing.cancel(false);
    producer.shutdown();
    assertThat(producer.awaitTermination(30, TimeUnit.SECONDS)).isTrue();

    assertThat(openShards()).hasSize(before.size()).doesNotContainAnyElementsOf(before);
    assertAllProcessed();
  }

  private static void split(Shard shard) {
    BigInteger start = new BigInteger(shard.hashKeyRange().startingHashKey());
    BigInteger end = new BigInteger(shard.hashKeyRange().endingHashKey());
    client.splitShard(
        request ->
            request
                .streamName(STREAM)
                .shardToSplit(shard.shardId())
                .newStartingHashKey(start.add(end).shiftRight(1).toString()));
    Endpoints.awaitActive(client, STREAM);
  }

  private static void merge(Shard one, Shard next) {
    client.mergeShards(
        request ->
            request
                .streamName(STREAM)
                .shardToMerge(one.shardId())
                .adjacentShardToMerge(next.shardId()));
    Endpoints.awaitActive(client, STREAM);
  }

  private static List<Shard> openShards() {
    return client
        .listShards(
            request ->
                request
                    .streamName(STREAM)
                    .shardFilter(filter -> filter.type(ShardFilterType.AT_LATEST)))
        .shards()
        .stream()
        .sorted(
            Comparator.comparing(shard -> new BigInteger(shard.hashKeyRange().startingHashKey())))
        .toList();
  }

  /** So many more of each key, in one request. */
  private static void write(int more) {
    int from = WRITTEN.get();
    PutRecordsResponse put =
        client.putRecords(
            request ->
                request
                    .streamName(STREAM)
                    .records(Endpoints.entries(Numbered.range(Numbered.KEYS, from, from + more))));
    assertThat(put.failedRecordCount()).as(put::toString).isZero();
    WRITTEN.addAndGet(more);
  }

  /** By every application, so many of each key. */
  private static void awaitProcessed(int each) {
    APPLICATIONS.forEach(application -> awaitProcessed(application, each));
  }

  private static void awaitProcessed(KclApplication application, int each) {
    await(application.name())
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(200))
        .untilAsserted(
            () ->
                assertThat(Numbered.ofEach(application.processed())).isGreaterThanOrEqualTo(each));
  }

  private static void assertAllProcessed() {
    awaitProcessed(WRITTEN.get());
    for (KclApplication application : APPLICATIONS) {
      Numbered.assertAllInOrder(application.processed(), Numbered.KEYS, WRITTEN.get());
    }
  }
}
