package dev.sluice.kinesis;

import static dev.sluice.kinesis.Endpoints.awaitActive;
import static dev.sluice.kinesis.Endpoints.entry;
import static dev.sluice.kinesis.Endpoints.get;
import static dev.sluice.kinesis.Endpoints.iterator;
import static dev.sluice.kinesis.Endpoints.put;
import static dev.sluice.kinesis.Endpoints.shards;
import static dev.sluice.kinesis.Endpoints.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.kinesis.shard.HashKey;
import java.math.BigInteger;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ExpiredNextTokenException;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.InvalidArgumentException;
import software.amazon.awssdk.services.kinesis.model.LimitExceededException;
import software.amazon.awssdk.services.kinesis.model.ListShardsResponse;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardFilterType;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/** Shards listed, split and merged by AWS's own clients, with two endpoints on one broker. */
@Timeout(90)
class ShardsTest {
  private static final String FIRST = "shardId-000000000000";
  private static final String HALF = BigInteger.ONE.shiftLeft(127).toString();
  private static final Endpoints ENDPOINTS = new Endpoints();
  private static final MovingClock CLOCK = new MovingClock();
  private static KinesisClient cbor;
  private static KinesisClient json;

  /** At an endpoint whose clock moves. */
  private static KinesisClient ahead;

  @BeforeAll
  static void start() throws Exception {
    cbor = ENDPOINTS.client(ENDPOINTS.start(Clock.systemUTC()), /* cbor= */ true);
    json = ENDPOINTS.client(ENDPOINTS.start(Clock.systemUTC()), /* cbor= */ false);
    ahead = ENDPOINTS.client(ENDPOINTS.start(CLOCK), /* cbor= */ true);
  }

  @AfterAll
  static void stop() throws Exception {
    ENDPOINTS.close();
  }

  private static void split(String stream, String shard, String at) {
    cbor.splitShard(
        request -> request.streamName(stream).shardToSplit(shard).newStartingHashKey(at));
  }

  @Test
  void aSplitGivesTwoShardsAndEndsTheParent() {
    String stream = ENDPOINTS.create(cbor, 1);
    Shard before = shards(cbor, stream).get(0);

    split(stream, FIRST, HALF);
    awaitActive(cbor, stream);

    List<Shard> shards = shards(json, stream);
    assertThat(shards).hasSize(3);
    Shard parent = shards.get(0);
    assertThat(parent.hashKeyRange()).isEqualTo(before.hashKeyRange());
    assertThat(parent.sequenceNumberRange().startingSequenceNumber())
        .isEqualTo(before.sequenceNumberRange().startingSequenceNumber());
    assertThat(parent.sequenceNumberRange().endingSequenceNumber()).isNotNull();
    for (Shard child : shards.subList(1, 3)) {
      assertThat(child.parentShardId()).isEqualTo(FIRST);
      assertThat(child.adjacentParentShardId()).isNull();
      assertThat(child.sequenceNumberRange().endingSequenceNumber()).isNull();
    }
    for (String key : List.of("a", "b", "c", "d")) {
      HashKey hash = HashKey.of(key);
      String child = hash.compareTo(HashKey.parse(HALF)) < 0 ? "1" : "2";
      assertThat(
              json.putRecords(r -> r.streamName(stream).records(entry(key, "1")))
                  .records()
                  .get(0)
                  .shardId())
          .endsWith(child);
    }
    assertThatThrownBy(() -> split(stream, FIRST, HALF))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(
            "has already been merged or split, and thus is not eligible for merging or splitting.");
    assertThatThrownBy(
            () -> split(stream, "shardId-000000000001", BigInteger.ONE.shiftLeft(128).toString()))
        .isInstanceOf(InvalidArgumentException.class);
  }

  @Test
  void splitsAndMergesUnderLoadLoseAndMisplaceNothing() {
    String stream = ENDPOINTS.create(cbor, 1);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger rounds = new AtomicInteger();
    List<CompletableFuture<Map<String, List<String>>>> producers =
        List.of(produce(cbor, stream, "x", stop, rounds), produce(json, stream, "y", stop, rounds));
    awaitRounds(rounds);
    split(stream, FIRST, HALF);
    awaitActive(cbor, stream);
    awaitRounds(rounds);
    json.mergeShards(
        r ->
            r.streamName(stream)
                .shardToMerge("shardId-000000000001")
                .adjacentShardToMerge("shardId-000000000002"));
    awaitActive(cbor, stream);
    awaitRounds(rounds);
    stop.set(true);
    Map<String, List<String>> put = new HashMap<>();
    producers.forEach(producer -> put.putAll(producer.join()));

    Map<String, List<Record>> read = new HashMap<>();
    List<Shard> shards = shards(cbor, stream);
    assertThat(shards).hasSize(4);
    for (Shard shard : shards) {
      HashKey from = HashKey.parse(shard.hashKeyRange().startingHashKey());
      HashKey to = HashKey.parse(shard.hashKeyRange().endingHashKey());
      for (Record record : Endpoints.all(json, stream, shard.shardId())) {
        assertThat(HashKey.of(record.partitionKey())).isBetween(from, to);
        read.computeIfAbsent(record.partitionKey(), key -> new ArrayList<>()).add(record);
      }
    }
    assertThat(read.keySet()).isEqualTo(put.keySet());
    put.forEach(
        (key, numbers) -> {
          List<Record> records = read.get(key);
          records.sort(Comparator.comparing(record -> new BigInteger(record.sequenceNumber())));
          assertThat(records.stream().map(Record::sequenceNumber))
              .containsExactlyElementsOf(numbers);
          assertThat(texts(records))
              .containsExactlyElementsOf(
                  IntStream.range(0, numbers.size()).mapToObj(Integer::toString).toList());
        });
  }

  private static void awaitRounds(AtomicInteger rounds) {
    int enough = rounds.get() + 10;
    Awaitility.await().pollInterval(Duration.ofMillis(5)).until(() -> rounds.get() >= enough);
  }

  /** Counts up for each of some keys; gives the sequence numbers of each in order. */
  private static CompletableFuture<Map<String, List<String>>> produce(
      KinesisClient client, String stream, String name, AtomicBoolean stop, AtomicInteger rounds) {
    return CompletableFuture.supplyAsync(
        () -> {
          Map<String, List<String>> all = new HashMap<>();
          for (int round = 0; !stop.get(); round++) {
            List<PutRecordsRequestEntry> entries = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
              entries.add(entry(name + i % 10, Integer.toString(2 * round + i / 10)));
            }
            PutRecordsResponse put =
                client.putRecords(request -> request.streamName(stream).records(entries));
            assertThat(put.failedRecordCount()).isZero();
            for (int i = 0; i < 20; i++) {
              all.computeIfAbsent(name + i % 10, key -> new ArrayList<>())
                  .add(put.records().get(i).sequenceNumber());
            }
            rounds.incrementAndGet();
          }
          return all;
        },
        work -> new Thread(work, name).start());
  }

  @Test
  void aDrainedClosedShardNamesItsChildrenAndAnOpenOneGoesOn() {
    String stream = ENDPOINTS.create(cbor, 2);
    cbor.putRecord(
        r -> r.streamName(stream).partitionKey("k").explicitHashKey("0").data(bytes("1")));
    String second = "shardId-000000000001";
    assertThat(get(cbor, iterator(cbor, stream, second, ShardIteratorType.LATEST)))
        .satisfies(
            got -> {
              assertThat(got.nextShardIterator()).isNotNull();
              assertThat(got.hasChildShards()).isFalse();
            });
    String latest = iterator(cbor, stream, FIRST, ShardIteratorType.LATEST);
    cbor.mergeShards(r -> r.streamName(stream).shardToMerge(FIRST).adjacentShardToMerge(second));
    awaitActive(cbor, stream);
    awaitActive(json, stream);

    for (String iterator :
        List.of(latest, iterator(json, stream, FIRST, ShardIteratorType.LATEST))) {
      GetRecordsResponse end = get(json, iterator);
      assertThat(end.nextShardIterator()).isNull();
      assertThat(end.records()).isEmpty();
      assertThat(end.childShards())
          .singleElement()
          .satisfies(
              child -> {
                assertThat(child.shardId()).isEqualTo("shardId-000000000002");
                assertThat(child.parentShards()).containsExactly(FIRST, second);
                assertThat(child.hashKeyRange().startingHashKey()).isEqualTo("0");
              });
    }
    assertThat(texts(Endpoints.all(cbor, stream, FIRST))).containsExactly("1");
  }

  private static SdkBytes bytes(String text) {
    return SdkBytes.fromUtf8String(text);
  }

  @Test
  void shardsAreListedPageByPage() {
    String stream = ENDPOINTS.create(cbor, 3);
    List<String> ids = new ArrayList<>();

    ListShardsResponse page = cbor.listShards(r -> r.streamName(stream).maxResults(1));
    ids.addAll(ids(page));
    while (page.nextToken() != null) {
      String next = page.nextToken();
      page = json.listShards(r -> r.nextToken(next).maxResults(1));
      assertThat(page.shards()).hasSize(1);
      ids.addAll(ids(page));
    }

    assertThat(ids).containsExactly(FIRST, "shardId-000000000001", "shardId-000000000002");
    String token = cbor.listShards(r -> r.streamName(stream).maxResults(1)).nextToken();
    assertThatThrownBy(() -> cbor.listShards(r -> r.nextToken(token).streamName(stream)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("NextToken and StreamName cannot be provided together.");
    assertThatThrownBy(
            () ->
                cbor.listShards(
                    r -> r.nextToken(token).shardFilter(f -> f.type(ShardFilterType.AT_LATEST))))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("NextToken and ShardFilter cannot be provided together.");
    assertThatThrownBy(() -> cbor.listShards(r -> r.nextToken("made-up")))
        .isInstanceOf(InvalidArgumentException.class);
    String old = ahead.listShards(r -> r.streamName(stream).maxResults(1)).nextToken();
    CLOCK.move(Duration.ofSeconds(301));
    assertThatThrownBy(() -> ahead.listShards(r -> r.nextToken(old)))
        .isInstanceOf(ExpiredNextTokenException.class);
  }

  private static List<String> ids(ListShardsResponse page) {
    return page.shards().stream().map(Shard::shardId).toList();
  }

  @Test
  void aFilterSaysWhichShardsAreListed() {
    String stream = ENDPOINTS.create(cbor, 1);
    split(stream, FIRST, HALF);
    awaitActive(cbor, stream);
    String one = "shardId-000000000001";
    String two = "shardId-000000000002";

    assertThat(filtered(stream, ShardFilterType.AT_LATEST)).containsExactly(one, two);
    assertThat(filtered(stream, ShardFilterType.AT_TRIM_HORIZON)).containsExactly(FIRST);
    assertThat(filtered(stream, ShardFilterType.FROM_TRIM_HORIZON))
        .containsExactly(FIRST, one, two);
    assertThat(
            ids(
                cbor.listShards(
                    r ->
                        r.streamName(stream)
                            .shardFilter(
                                f -> f.type(ShardFilterType.AFTER_SHARD_ID).shardId(one)))))
        .containsExactly(two);
    assertThat(ids(cbor.listShards(r -> r.streamName(stream).exclusiveStartShardId(FIRST))))
        .containsExactly(one, two);
    assertThatThrownBy(() -> filtered(stream, ShardFilterType.AT_TIMESTAMP))
        .isInstanceOf(InvalidArgumentException.class);
    String token =
        cbor.listShards(
                r ->
                    r.streamName(stream)
                        .maxResults(1)
                        .shardFilter(f -> f.type(ShardFilterType.AT_LATEST)))
            .nextToken();
    assertThat(ids(cbor.listShards(r -> r.nextToken(token)))).containsExactly(two);
  }

  private static List<String> filtered(String stream, ShardFilterType type) {
    return ids(cbor.listShards(r -> r.streamName(stream).shardFilter(f -> f.type(type))));
  }

  @Test
  void theNumberOfShardsIsUpdated() {
    String stream = ENDPOINTS.create(cbor, 2);
    put(cbor, stream, "k", "1");

    var updated =
        cbor.updateShardCount(
            r -> r.streamName(stream).targetShardCount(4).scalingType("UNIFORM_SCALING"));
    awaitActive(cbor, stream);

    assertThat(updated.currentShardCount()).isEqualTo(2);
    assertThat(updated.targetShardCount()).isEqualTo(4);
    assertThat(filtered(stream, ShardFilterType.AT_LATEST)).hasSize(4);
    assertThatThrownBy(
            () ->
                cbor.updateShardCount(
                    r -> r.streamName(stream).targetShardCount(9).scalingType("UNIFORM_SCALING")))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("cannot scale up over double your current open shard count");
  }
}
