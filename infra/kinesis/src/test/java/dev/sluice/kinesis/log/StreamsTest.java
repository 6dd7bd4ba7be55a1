package dev.sluice.kinesis.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.kinesis.TestBroker;
import dev.sluice.kinesis.log.ShardReader.Batch;
import dev.sluice.kinesis.log.ShardReader.StoredRecord;
import dev.sluice.kinesis.log.ShardWriter.Entry;
import dev.sluice.kinesis.log.ShardWriter.Put;
import dev.sluice.kinesis.shard.HashKey;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.Resharding;
import dev.sluice.kinesis.shard.SequenceNumber;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamChange;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.shard.StreamState.Mode;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(90)
class StreamsTest {
  private static final HashKey HALF = new HashKey(Long.MIN_VALUE, 0);
  private static final HashKey QUARTER = new HashKey(1L << 62, 0);

  private final String prefix = TestBroker.prefix();
  private final List<Instance> instances = new ArrayList<>();

  private Instance instance() {
    return instance(Map.of());
  }

  private Instance instance(Map<String, String> others) {
    return instance(Clock.systemUTC(), Streams.TAKE_OVER, others);
  }

  private Instance instance(Clock clock, Duration takeOver) {
    return instance(clock, takeOver, Map.of());
  }

  private Instance instance(Clock clock, Duration takeOver, Map<String, String> others) {
    Instance instance = new Instance(prefix, clock, takeOver, others);
    instances.add(instance);
    return instance;
  }

  @AfterEach
  void close() {
    instances.forEach(Instance::close);
  }

  @Test
  void recordsAreReadAsTheyWerePut() {
    Instance one = instance();
    StreamState stream = one.create("s", 2);
    List<Put> puts =
        one.writer
            .put(
                stream,
                List.of(
                    entry("a", "first"),
                    new Entry("b", HALF, "second".getBytes(UTF_8)),
                    new Entry("c", new HashKey(Long.MAX_VALUE, -1), "third".getBytes(UTF_8)),
                    entry("a", "fourth")))
            .join();

    assertThat(puts).allMatch(put -> put.failure() == null);
    assertThat(puts.get(1).shard().number()).isEqualTo(1);
    assertThat(puts.get(2).shard().number()).isEqualTo(0);
    Map<SequenceNumber, String> read = new HashMap<>();
    for (Shard shard : stream.shards()) {
      one.all(stream, shard, 1)
          .forEach(
              record ->
                  read.put(
                      record.sequenceNumber(),
                      record.partitionKey() + " " + new String(record.data(), UTF_8)));
    }
    assertThat(puts.stream().map(put -> read.get(put.sequenceNumber())))
        .containsExactly("a first", "b second", "c third", "a fourth");
    assertThat(puts.get(0).sequenceNumber()).isLessThan(puts.get(3).sequenceNumber());
    Shard shard = puts.get(0).shard();
    assertThat(puts.get(0).sequenceNumber()).isGreaterThan(shard.startingSequenceNumber());
    assertThat(
            one.reader.read(stream, shard, shard.offset(puts.get(3).sequenceNumber()), 9).records())
        .hasSize(1);
    assertThat(one.reader.read(stream, shard, shard.offsetAfter(puts.get(3).sequenceNumber()), 9))
        .isEqualTo(new Batch(List.of(), one.reader.latest(stream, shard), 0, false));
  }

  @Test
  void aStreamGoesWithItsRecordsAndAnotherOfItsNameBeginsEmpty() {
    Instance one = instance();
    Instance other = instance();
    StreamState first = one.create("s", 1);
    one.writer.put(first, List.of(entry("a", "1"))).join();
    other.table.readToEnd().join();
    other.writer.put(first, List.of(entry("a", "2"))).join();

    one.streams.change("s", now -> StreamChange.delete(Instance.ACCOUNT, now, false)).join();
    one.table.when("s", stream -> stream == null).join();
    assertThatThrownBy(() -> one.streams.get("s")).isInstanceOf(KinesisException.class);
    StreamState second = one.create("s", 1);
    assertThatThrownBy(() -> other.writer.put(first, List.of(entry("a", "3"))).join())
        .hasCauseInstanceOf(KinesisException.class);
    Put put = one.writer.put(second, List.of(entry("a", "4"))).join().get(0);

    assertThat(put.failure()).isNull();
    assertThat(texts(one.all(second, put.shard(), 10))).contains("4").doesNotContain("1", "2");
  }

  @Test
  void noSequenceNumberNamesARecordOfALaterStreamOfTheName() {
    Clock clock = Clock.fixed(Instant.now(), ZoneOffset.UTC);
    Instance one = instance(clock, Streams.TAKE_OVER);
    one.create("s", 1);
    one.streams
        .change("s", now -> Resharding.split(Instance.ACCOUNT, now, Shard.id(0), HALF, 0))
        .join();
    StreamState first = one.active("s");
    one.streams.change("s", now -> StreamChange.delete(Instance.ACCOUNT, now, false)).join();
    one.table.when("s", stream -> stream == null).join();

    Instance slow = instance(Clock.offset(clock, Duration.ofSeconds(-5)), Streams.TAKE_OVER);
    slow.table.ready().join();
    StreamState second = slow.create("s", 3);

    assertThat(second.created()).isLessThan(first.created());
    for (Shard shard : second.shards()) {
      assertThat(first.shards()).allMatch(old -> old.createdSeconds() < shard.createdSeconds());
      assertThat(shard.has(first.shards().get(0).startingSequenceNumber())).isFalse();
    }
  }

  @Test
  void aTopicOfOthersIsInTheWay() throws Exception {
    Instance one = instance();
    one.create("a.b", 1);
    try (Admin admin = Admin.create(TestBroker.clients())) {
      admin.createTopics(List.of(new NewTopic(prefix + "kinesis.c.d", 1, (short) 1))).all().get();
    }

    assertThatThrownBy(() -> create(one, "a_b").join())
        .hasMessageContaining("Stream a_b can't be beside stream a.b");
    assertThatThrownBy(() -> create(one, "a.b").join())
        .cause()
        .hasMessage("Stream a.b under account 000000000000 already exists.");
    assertThatThrownBy(() -> create(one, "c.d").join()).hasMessageContaining("exists.");
    assertThatThrownBy(() -> create(one, "c_d").join())
        .hasMessageContaining("Kafka can't have a topic " + prefix + "kinesis.c_d");
  }

  private static CompletableFuture<StreamState> create(Instance instance, String name) {
    return instance.streams.create(name, Mode.PROVISIONED, 1, 1_024, Map.of());
  }

  @Test
  void ofTwoNamesThatAreOneToKafkaOneIsCreatedThoughTwoAskAtOnce() {
    Instance one = instance();
    Instance other = instance();
    one.table.ready().join();
    other.table.ready().join();

    CompletableFuture<StreamState> dot = create(one, "co.l3");
    CompletableFuture<StreamState> line = create(other, "co_l3");

    boolean isDot = dot.handle((stream, failure) -> failure == null).join();
    assertThatThrownBy((isDot ? line : dot)::join)
        .hasCauseInstanceOf(KinesisException.class)
        .hasMessageContaining(isDot ? "co_l3" : "co.l3");
    one.active(isDot ? "co.l3" : "co_l3");
    assertThat(one.table.streams()).hasSize(1);
  }

  @Test
  void aStreamThatCanHaveNoTopicGoes() {
    Instance dead = instance();
    Instance one = instance(Clock.systemUTC(), Duration.ofMillis(300));
    dead.create("co.l3", 1);

    // Accepted before somebody else took the name of its topic.
    dead.table
        .change(
            "co_l3",
            none ->
                StreamChange.create(
                    Instance.ACCOUNT,
                    none,
                    List.of(),
                    "co_l3",
                    Mode.PROVISIONED,
                    1,
                    1_024,
                    Map.of(),
                    1))
        .join();

    one.table.readToEnd().join();
    one.table.when("co_l3", stream -> stream == null).join();
    assertThat(one.active("co.l3")).isNotNull();
  }

  @Test
  void retentionAndSizeOfRecordsReachTheTopic() {
    Instance one = instance();
    one.create("s", 1);
    one.streams
        .change("s", now -> StreamChange.maxRecordSize(Instance.ACCOUNT, now, 10_240))
        .join();
    StreamState stream = one.active("s");
    byte[] large = new byte[(10 << 20) - 1];

    Put put = one.writer.put(stream, List.of(new Entry("k", null, large))).join().get(0);

    assertThat(put.failure()).isNull();
    assertThat(one.all(stream, put.shard(), 10)).hasSize(1);
  }

  @Test
  void readersOfAClosedShardComeToItsEndAndGoOnWithItsChildren() {
    Instance one = instance();
    StreamState stream = one.create("s", 1);
    one.writer.put(stream, List.of(entry("a", "1"), entry("b", "2"))).join();
    one.streams
        .change("s", now -> Resharding.split(Instance.ACCOUNT, now, Shard.id(0), HALF, 0))
        .join();
    StreamState split = one.active("s");
    one.writer.put(split, List.of(entry("a", "3"), entry("b", "4"))).join();

    Shard parent = split.shard(0).orElseThrow();
    Batch whole = one.reader.read(split, parent, 0, 10);
    assertThat(texts(whole.records())).containsExactly("1", "2");
    assertThat(whole.millisBehindLatest()).isZero();
    assertThat(one.reader.read(split, parent, whole.next(), 10).atEnd()).isTrue();
    List<String> children = new ArrayList<>();
    for (Shard child : split.children(parent)) {
      Batch batch = one.reader.read(split, child, 0, 10);
      assertThat(batch.atEnd()).isFalse();
      children.addAll(texts(batch.records()));
    }
    assertThat(children).containsExactlyInAnyOrder("3", "4");
  }

  @Test
  void aPartitionTakenAgainShowsItsReadersNothingOfTheOther() {
    AtomicBoolean later = new AtomicBoolean();
    Clock clock =
        new Clock() {
          @Override
          public ZoneId getZone() {
            return ZoneOffset.UTC;
          }

          @Override
          public Clock withZone(ZoneId zone) {
            return this;
          }

          @Override
          public Instant instant() {
            Instant now = Instant.now();
            return later.get() ? now.plus(Duration.ofHours(25)) : now;
          }
        };
    Instance one = instance(clock, Streams.TAKE_OVER);
    StreamState stream = one.create("s", 2);
    one.writer.put(stream, List.of(new Entry("old", HALF, "old".getBytes(UTF_8)))).join();
    one.streams
        .change("s", now -> Resharding.merge(Instance.ACCOUNT, now, Shard.id(0), Shard.id(1)))
        .join();
    StreamState merged = one.active("s");
    later.set(true);
    one.streams
        .change(
            "s", now -> Resharding.split(Instance.ACCOUNT, now, Shard.id(2), HALF, clock.millis()))
        .join();
    StreamState split = one.active("s");
    Put put =
        one.writer.put(split, List.of(new Entry("new", HALF, "new".getBytes(UTF_8)))).join().get(0);

    assertThat(put.shard().partition()).isEqualTo(1);
    assertThat(split.partitions()).isEqualTo(2);
    assertThat(texts(one.all(split, put.shard(), 10))).containsExactly("new");
    assertThat(texts(one.all(merged, merged.shard(1).orElseThrow(), 10))).containsExactly("old");
    // Somebody whose view is old still takes the first shard for open.
    assertThat(texts(one.all(stream, stream.shard(1).orElseThrow(), 10))).containsExactly("old");
  }

  @Test
  void whatADeadInstanceBeganAnotherFinishesAndPutsWaitForIt() {
    Instance dead = instance();
    Instance one = instance(Clock.systemUTC(), Duration.ofMillis(300));
    StreamState stream = dead.create("s", 1);
    // It dies when the table has the shard as closing, and does nothing more.
    dead.table
        .change("s", now -> Resharding.split(Instance.ACCOUNT, now, Shard.id(0), HALF, 0))
        .join();
    one.table.readToEnd().join();

    List<Put> puts = one.writer.put(stream, List.of(entry("a", "1"), entry("b", "2"))).join();

    assertThat(puts).allMatch(put -> put.failure() == null);
    assertThat(puts).allMatch(put -> put.shard().parent() == 0);
    StreamState split = one.active("s");
    assertThat(split.open()).hasSize(2);
  }

  @Test
  void aPutThatDidNotHearOfTheSplitIsPutAgainIntoTheChild() throws Exception {
    Instance one = instance();
    Instance stale = instance();
    StreamState stream = one.create("s", 1);
    stale.active("s");
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    var unused =
        stale.table.when("s", now -> now.tags().containsKey("hold") && hold(held, release));
    one.streams
        .change("s", now -> StreamChange.addTags(Instance.ACCOUNT, now, Map.of("hold", "")))
        .join();
    held.await();
    reshard(one, now -> Resharding.split(Instance.ACCOUNT, now, Shard.id(0), HALF, 0));
    StreamState split = one.active("s");

    CompletableFuture<List<Put>> late =
        stale.writer.put(stream, List.of(entry("a", "1"), entry("b", "2"), entry("a", "3")));
    Shard parent = split.shard(0).orElseThrow();
    // It is in the partition, behind the marker, before the instance hears of the split.
    await()
        .untilAsserted(
            () ->
                assertThat(one.reader.latest(stream, stream.shards().get(0)))
                    .isGreaterThan(parent.end() + 3));
    assertThat(late).isNotDone();
    release.countDown();

    List<Put> puts = late.join();
    assertThat(puts).allMatch(put -> put.failure() == null && put.shard().parent() == 0);
    assertThat(one.all(split, parent, 10)).isEmpty();
    List<String> read = new ArrayList<>();
    for (Shard child : split.children(parent)) {
      read.addAll(texts(one.all(split, child, 10)));
    }
    assertThat(read).containsExactlyInAnyOrder("1", "2", "3").containsSubsequence("1", "3");
  }

  private static boolean hold(CountDownLatch held, CountDownLatch release) {
    held.countDown();
    try {
      release.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return true;
  }

  @Test
  void aTopicOfOthersIsAStreamOnceItIsThereAndReadWholePartitionByPartition() throws Exception {
    String topic = prefix + "others";
    Instance one = instance(Map.of("others", topic));
    one.table.ready().join();
    assertThatThrownBy(() -> one.streams.newest("others").join())
        .hasCauseInstanceOf(KinesisException.class)
        .hasMessageContaining("isn't there yet");
    assertThatThrownBy(
            () -> one.streams.create("others", Mode.PROVISIONED, 1, 1_024, Map.of()).join())
        .hasMessageContaining("already exists");
    try (Admin admin = Admin.create(TestBroker.clients());
        KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      Map<String, String> configs = Map.of(TopicConfig.RETENTION_MS_CONFIG, "18000000");
      admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1).configs(configs))).all().get();
      producer.send(new ProducerRecord<>(topic, 1, bytes("k"), bytes("1"))).get();
      producer.send(new ProducerRecord<>(topic, 1, null, null)).get();
    }

    StreamState stream = one.active("others");
    Shard shard = stream.shards().get(1);
    Batch batch = one.reader.read(stream, shard, 0, 10);

    assertThat(stream.shards()).hasSize(2);
    assertThat(stream.retentionHours()).isEqualTo(5);
    assertThat(texts(batch.records())).containsExactly("1", "");
    assertThat(batch.records().get(1).partitionKey()).isEqualTo(ShardReader.NO_KEY);
    assertThat(batch.next()).isEqualTo(one.reader.latest(stream, shard));
    assertThat(one.reader.at(stream, shard, 0)).isZero();
    assertThatThrownBy(() -> one.writer.put(stream, List.of(entry("a", "1"))).join())
        .hasMessageContaining("can only be read");
    assertThatThrownBy(
            () ->
                one.streams
                    .change("others", now -> StreamChange.delete(Instance.ACCOUNT, now, true))
                    .join())
        .hasMessageContaining("can't be deleted or changed");
  }

  @Test
  void aTopicOfOthersThatMayBeWrittenTakesRecordsByTheirHashKeys() throws Exception {
    String topic = prefix + "written";
    Instance one = instance(Map.of("written", topic));
    try (Admin admin = Admin.create(TestBroker.clients())) {
      admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
    }
    StreamState stream = one.active("written");

    List<Put> puts =
        one.writer
            .put(
                stream,
                List.of(
                    new Entry("a", HashKey.MAX, bytes("1")),
                    new Entry("b", HashKey.ZERO, bytes("2")),
                    new Entry("a", HashKey.MAX, bytes("3"))))
            .join();

    assertThat(puts).extracting(put -> put.shard().number()).containsExactly(1, 0, 1);
    assertThat(texts(one.all(stream, stream.shards().get(1), 10))).containsExactly("1", "3");
    assertThat(one.all(stream, stream.shards().get(0), 10))
        .singleElement()
        .satisfies(record -> assertThat(record.partitionKey()).isEqualTo("b"));
  }

  @Test
  void ofATopicOfOthersOnlyWhatIsCommittedIsRead() throws Exception {
    String topic = prefix + "others";
    Instance one = instance(Map.of("others", topic));
    try (Admin admin = Admin.create(TestBroker.clients());
        KafkaProducer<byte[], byte[]> producer =
            producer(Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, topic))) {
      admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, 0, bytes("k"), bytes("1"))).get();
      StreamState stream = one.active("others");
      Shard shard = stream.shards().get(0);

      assertThat(one.reader.latest(stream, shard)).isZero();
      assertThat(one.all(stream, shard, 10)).isEmpty();
      producer.abortTransaction();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(topic, 0, bytes("k"), bytes("2"))).get();
      producer.commitTransaction();
      await()
          .untilAsserted(() -> assertThat(texts(one.all(stream, shard, 10))).containsExactly("2"));
    }
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(TestBroker.clients());
    settings.putAll(more);
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void splitsAndMergesLoseAndMisplaceNothingWhileTwoInstancesWrite() {
    Instance one = instance();
    Instance other = instance();
    Instance third = instance();
    StreamState stream = one.create("s", 1);
    other.table.readToEnd().join();
    AtomicBoolean stop = new AtomicBoolean();
    List<CompletableFuture<Map<String, List<Put>>>> producers =
        List.of(produce(one, stream, "x", stop), produce(other, stream, "y", stop));

    third.table.readToEnd().join();
    reshard(third, now -> Resharding.split(Instance.ACCOUNT, now, Shard.id(0), HALF, 0));
    reshard(third, now -> Resharding.split(Instance.ACCOUNT, now, Shard.id(1), QUARTER, 0));
    reshard(third, now -> Resharding.merge(Instance.ACCOUNT, now, Shard.id(3), Shard.id(4)));
    reshard(third, now -> Resharding.updateCount(Instance.ACCOUNT, now, 4, 0));
    reshard(third, now -> Resharding.updateCount(Instance.ACCOUNT, now, 3, 0));
    stop.set(true);

    Map<String, List<Put>> put = new HashMap<>();
    producers.forEach(producer -> put.putAll(producer.join()));
    StreamState last = third.active("s");
    Map<String, List<StoredRecord>> read = new HashMap<>();
    for (Shard shard : last.shards()) {
      for (StoredRecord record : third.all(last, shard, 1_000)) {
        assertThat(shard.range().contains(HashKey.of(record.partitionKey()))).isTrue();
        read.computeIfAbsent(record.partitionKey(), key -> new ArrayList<>()).add(record);
      }
    }
    assertThat(read.keySet()).isEqualTo(put.keySet());
    put.forEach(
        (key, puts) -> {
          assertThat(puts).allMatch(each -> each.failure() == null);
          List<StoredRecord> records = read.get(key);
          records.sort(Comparator.comparing(StoredRecord::sequenceNumber));
          assertThat(texts(records))
              .containsExactlyElementsOf(
                  IntStream.range(0, puts.size()).mapToObj(Integer::toString).toList());
          assertThat(records.stream().map(StoredRecord::sequenceNumber))
              .containsExactlyElementsOf(puts.stream().map(Put::sequenceNumber).toList());
        });
    assertThat(last.open()).hasSize(3);
  }

  @Test
  void instancesThatFinishTheSameStepAtOnceDoNoHarm() {
    Instance one = instance(Clock.systemUTC(), Duration.ofMillis(1));
    Instance other = instance(Clock.systemUTC(), Duration.ofMillis(1));
    StreamState stream = one.create("s", 1);
    other.active("s");
    List<Put> puts = new ArrayList<>();

    for (int count : List.of(2, 4, 2, 1)) {
      reshard(one, now -> Resharding.updateCount(Instance.ACCOUNT, now, count, 0));
      puts.addAll(
          other.writer.put(stream, List.of(entry("a", "" + count), entry("b", "" + count))).join());
    }

    StreamState last = other.active("s");
    assertThat(last.open()).hasSize(1);
    assertThat(last.shards()).hasSize(1 + 2 + 4 + 2 + 1);
    List<SequenceNumber> read = new ArrayList<>();
    for (Shard shard : last.shards()) {
      one.all(last, shard, 10).forEach(record -> read.add(record.sequenceNumber()));
    }
    assertThat(read)
        .containsExactlyInAnyOrderElementsOf(puts.stream().map(Put::sequenceNumber).toList());
  }

  private static void reshard(Instance instance, UnaryOperator<StreamState> decision) {
    instance.streams.change("s", decision).join();
    instance.active("s");
  }

  /** Counts up for each of some keys, each put after the last was answered. */
  private static CompletableFuture<Map<String, List<Put>>> produce(
      Instance instance, StreamState stream, String name, AtomicBoolean stop) {
    return CompletableFuture.supplyAsync(
        () -> {
          Map<String, List<Put>> all = new HashMap<>();
          for (int round = 0; !stop.get(); round++) {
            List<Entry> entries = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
              entries.add(entry(name + i % 20, Integer.toString(2 * round + i / 20)));
            }
            List<Put> puts = instance.writer.put(stream, entries).join();
            for (int i = 0; i < 40; i++) {
              all.computeIfAbsent(name + i % 20, key -> new ArrayList<>()).add(puts.get(i));
            }
          }
          return all;
        },
        work -> new Thread(work, name).start());
  }

  @Test
  void manyReadOnWhereTheyWere() {
    Instance one = instance();
    StreamState stream = one.create("s", 1);
    Shard shard = stream.shards().get(0);
    for (int i = 0; i < 10; i++) {
      one.writer.put(stream, List.of(entry("a", "x" + i), entry("a", "y" + i))).join();
    }
    long[] offsets = new long[8];
    List<List<String>> read = new ArrayList<>();
    IntStream.range(0, offsets.length).forEach(i -> read.add(new ArrayList<>()));

    for (int round = 0; round < 10; round++) {
      for (int i = 0; i < offsets.length; i++) {
        Batch batch = one.reader.read(stream, shard, offsets[i], 2);
        assertThat(batch.millisBehindLatest() == 0).isEqualTo(round == 9);
        read.get(i).addAll(texts(batch.records()));
        offsets[i] = batch.next();
      }
    }

    assertThat(read).allMatch(texts -> texts.size() == 20).allMatch(read.get(0)::equals);
  }

  @Test
  void timesAreFoundAsOffsets() {
    Instance one = instance();
    StreamState stream = one.create("s", 1);
    Shard shard = stream.shards().get(0);
    Put first = one.writer.put(stream, List.of(entry("a", "1"))).join().get(0);
    long time = one.all(stream, shard, 1).get(0).timestamp();

    assertThat(one.reader.at(stream, shard, 0)).isZero();
    assertThat(one.reader.at(stream, shard, time)).isEqualTo(shard.offset(first.sequenceNumber()));
    assertThat(one.reader.at(stream, shard, time + 1)).isEqualTo(one.reader.latest(stream, shard));
  }

  private static Entry entry(String key, String text) {
    return new Entry(key, null, text.getBytes(UTF_8));
  }

  private static List<String> texts(List<StoredRecord> records) {
    return records.stream().map(record -> new String(record.data(), UTF_8)).toList();
  }
}
