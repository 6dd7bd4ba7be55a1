package dev.sluice.kinesis;

import static dev.sluice.kinesis.Endpoints.entry;
import static dev.sluice.kinesis.Endpoints.get;
import static dev.sluice.kinesis.Endpoints.shards;
import static dev.sluice.kinesis.Endpoints.texts;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.contract.Command;
import dev.sluice.contract.CommandJson;
import dev.sluice.contract.EventKind;
import dev.sluice.contract.Membership;
import dev.sluice.contract.MembershipJson;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.OutcomeJson;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.contract.RoomState;
import dev.sluice.contract.Topics;
import dev.sluice.contract.Version;
import dev.sluice.identity.Session;
import dev.sluice.identity.Sessions;
import dev.sluice.kinesis.log.ShardWriter.Entry;
import dev.sluice.kinesis.log.ShardWriter.Put;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.HashKey;
import dev.sluice.kinesis.shard.StreamChange;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.sluice.Aggregates;
import dev.sluice.kinesis.sluice.OwnStreams;
import dev.sluice.runtime.TopicsStep;
import java.net.ServerSocket;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.KinesisAsyncClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.AccessDeniedException;
import software.amazon.awssdk.services.kinesis.model.InvalidArgumentException;
import software.amazon.awssdk.services.kinesis.model.KinesisException;
import software.amazon.awssdk.services.kinesis.model.PutRecordResponse;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResultEntry;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.ResourceInUseException;
import software.amazon.awssdk.services.kinesis.model.ScalingType;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;
import software.amazon.awssdk.services.kinesis.model.StreamDescriptionSummary;
import software.amazon.awssdk.services.kinesis.model.StreamStatus;
import software.amazon.awssdk.services.kinesis.model.SubscribeToShardEvent;
import software.amazon.awssdk.services.kinesis.model.SubscribeToShardResponseHandler;

/** Sluice's own topics as streams, for AWS's own clients. */
@Timeout(90)
class OwnStreamsTest {
  private static final int PARTITIONS = 4;
  private static final Endpoints ENDPOINTS = new Endpoints();
  private static final Topics TOPICS = new Topics(ENDPOINTS.prefix(), PARTITIONS);
  private static final Sessions SESSIONS = new Sessions("a secret of these tests");
  private static final Session SESSION = SESSIONS.issue();
  private static KinesisEndpoint endpoint;
  private static KinesisClient client;

  @BeforeAll
  static void start() throws Exception {
    new TopicsStep(TestBroker.clients(), TOPICS, (short) 1).run();
    endpoint = ENDPOINTS.start(Clock.systemUTC(), SESSIONS);
    client = ENDPOINTS.client(endpoint, /* cbor= */ true);
    await().until(() -> client.listStreams().streamNames().size() == 5);
  }

  @AfterAll
  static void stop() throws Exception {
    ENDPOINTS.close();
  }

  private static StreamDescriptionSummary summary(String stream) {
    return client.describeStreamSummary(r -> r.streamName(stream)).streamDescriptionSummary();
  }

  private static String enter(String room, String who) {
    return enter(room, who, SESSION.token());
  }

  private static String enter(String room, String who, String session) {
    return "{\"type\":\"ENTER\",\"v\":1,\"roomId\":\"%s\",\"requestId\":\"%s\",\"session\":\"%s\"}"
        .formatted(room, who, session);
  }

  private static Command entered(String room, String who) {
    return new Command.Enter(room, who, SESSION.hash());
  }

  private static PutRecordsResponse put(String stream, PutRecordsRequestEntry... entries) {
    return client.putRecords(r -> r.streamName(stream).records(entries));
  }

  /** What a topic has under a key, in the key's partition; null for what has none. */
  private static List<ConsumerRecord<byte[], byte[]>> stored(String topic, String key) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            TestBroker.clients(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
      while (partitions.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
        consumer.poll(Duration.ofMillis(100)).forEach(all::add);
      }
      return all.stream()
          .filter(record -> record.key() != null && new String(record.key(), UTF_8).equals(key))
          .toList();
    }
  }

  private static List<Command> commands(String room) throws Exception {
    List<Command> commands = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : stored(TOPICS.entries(), room)) {
      assertThat(record.partition()).isEqualTo(Partitions.of(room, PARTITIONS));
      commands.add(CommandJson.read(room, record.value()));
    }
    return commands;
  }

  private static String shardOf(String room) {
    return "shardId-%012d".formatted(Partitions.of(room, PARTITIONS));
  }

  @Test
  void theyAreDescribedAsTheirTopicsAre() {
    assertThat(client.listStreams().streamNames())
        .containsExactly("entries", "hot-rooms", "joins", "outcomes", "room-events");
    assertThat(summary("entries").streamStatus()).isEqualTo(StreamStatus.ACTIVE);
    assertThat(summary("entries").retentionPeriodHours()).isEqualTo(7 * 24);
    assertThat(summary("entries").openShardCount()).isEqualTo(PARTITIONS);
    assertThat(summary("hot-rooms").retentionPeriodHours()).isEqualTo(StreamState.MAX_RETENTION);
    assertThat(shards(client, "hot-rooms")).hasSize(1);
    List<software.amazon.awssdk.services.kinesis.model.Shard> shards = shards(client, "outcomes");
    assertThat(shards).hasSize(PARTITIONS);
    assertThat(shards.get(PARTITIONS - 1).hashKeyRange().endingHashKey())
        .isEqualTo(HashKey.MAX.toString());
    assertThat(shards).allMatch(s -> s.sequenceNumberRange().endingSequenceNumber() == null);
  }

  @Test
  void theyCanNotBeMadeOrChanged() {
    assertThatThrownBy(() -> client.createStream(r -> r.streamName("entries").shardCount(1)))
        .isInstanceOf(ResourceInUseException.class)
        .hasMessageContaining("Stream entries under account 000000000000 already exists.");
    String arn = summary("entries").streamARN();
    String shard = "shardId-000000000000";
    String beside = "shardId-000000000001";
    Map<String, ThrowingCallable> changes = new HashMap<>();
    changes.put("delete", () -> client.deleteStream(r -> r.streamName("entries")));
    changes.put(
        "split",
        () ->
            client.splitShard(
                r -> r.streamName("entries").shardToSplit(shard).newStartingHashKey("7")));
    changes.put(
        "merge",
        () ->
            client.mergeShards(
                r -> r.streamName("entries").shardToMerge(shard).adjacentShardToMerge(beside)));
    changes.put(
        "count",
        () ->
            client.updateShardCount(
                r ->
                    r.streamName("entries")
                        .targetShardCount(2)
                        .scalingType(ScalingType.UNIFORM_SCALING)));
    changes.put(
        "retention",
        () ->
            client.increaseStreamRetentionPeriod(
                r -> r.streamName("entries").retentionPeriodHours(200)));
    changes.put(
        "tags", () -> client.addTagsToStream(r -> r.streamName("entries").tags(Map.of("a", "b"))));
    changes.put(
        "untag", () -> client.removeTagsFromStream(r -> r.streamName("entries").tagKeys("a")));
    changes.put(
        "encryption",
        () ->
            client.startStreamEncryption(
                r -> r.streamName("entries").encryptionType("KMS").keyId("k")));
    changes.put(
        "mode",
        () ->
            client.updateStreamMode(
                r -> r.streamARN(arn).streamModeDetails(m -> m.streamMode("ON_DEMAND"))));
    changes.put(
        "monitoring",
        () ->
            client.enableEnhancedMonitoring(
                r -> r.streamName("entries").shardLevelMetricsWithStrings("ALL")));
    changes.put(
        "size", () -> client.updateMaxRecordSize(r -> r.streamARN(arn).maxRecordSizeInKiB(2_048)));

    changes.forEach(
        (name, change) ->
            assertThatThrownBy(change)
                .as(name)
                .isInstanceOf(AccessDeniedException.class)
                .hasMessageContaining("It can't be deleted or changed here."));
    for (String stream : List.of("outcomes", "hot-rooms")) {
      assertThatThrownBy(() -> Endpoints.put(client, stream, "k", "{}"))
          .isInstanceOf(AccessDeniedException.class)
          .hasMessageContaining("It can only be read here.");
    }
  }

  @Test
  void commandsOfARoomGoInTheirOrderWhereRestPutsThem() throws Exception {
    PutRecordsRequestEntry[] entries =
        IntStream.range(0, 100)
            .mapToObj(i -> entry("some key " + i, enter("r" + i % 3, "u" + i)))
            .toArray(PutRecordsRequestEntry[]::new);

    PutRecordsResponse put = put("entries", entries);

    assertThat(put.failedRecordCount()).isZero();
    for (int room = 0; room < 3; room++) {
      int first = room;
      assertThat(commands("r" + room))
          .containsExactlyElementsOf(
              IntStream.range(0, 100)
                  .filter(i -> i % 3 == first)
                  .mapToObj(i -> entered("r" + first, "u" + i))
                  .toList());
    }
    for (int i = 0; i < 100; i += 33) {
      PutRecordsResultEntry result = put.records().get(i);
      assertThat(result.shardId()).isEqualTo(shardOf("r" + i % 3));
      Record record = at("entries", result.shardId(), result.sequenceNumber());
      assertThat(record.partitionKey()).isEqualTo("r" + i % 3);
      assertThat(CommandJson.read("r" + i % 3, record.data().asByteArray()))
          .isEqualTo(entered("r" + i % 3, "u" + i));
    }
  }

  private static Record at(String stream, String shard, String sequenceNumber) {
    String iterator =
        client
            .getShardIterator(
                r ->
                    r.streamName(stream)
                        .shardId(shard)
                        .shardIteratorType(ShardIteratorType.AT_SEQUENCE_NUMBER)
                        .startingSequenceNumber(sequenceNumber))
            .shardIterator();
    Record record = get(client, iterator).records().get(0);
    assertThat(record.sequenceNumber()).isEqualTo(sequenceNumber);
    return record;
  }

  @Test
  void whoChoosesAShardHearsItsNameThoughTheRecordIsWhereItsRoomIs() throws Exception {
    String room = "chosen";
    String other = shardOf(room).endsWith("0") ? "shardId-000000000003" : "shardId-000000000000";
    String hash = other.endsWith("0") ? "0" : HashKey.MAX.toString();

    PutRecordResponse put =
        client.putRecord(
            r ->
                r.streamName("entries")
                    .partitionKey("k")
                    .explicitHashKey(hash)
                    .data(SdkBytes.fromUtf8String(enter(room, "u"))));

    assertThat(put.shardId()).isEqualTo(other);
    assertThat(commands(room)).containsExactly(entered(room, "u"));
    assertThat(at("entries", shardOf(room), put.sequenceNumber()).partitionKey()).isEqualTo(room);
  }

  @Test
  void aBadRecordIsRefusedByItselfAndStoredNowhere() throws Exception {
    PutRecordsResponse put =
        put(
            "entries",
            entry("k", enter("mixed", "u1")),
            entry("k", enter("mixed", "u2", SESSION.hash())),
            entry("k", "{\"type\":\"TICK\",\"v\":1,\"roomId\":\"mixed\"}"),
            entry("k", "hello"),
            entry("k", enter("mixed", "u3")));

    assertThat(put.failedRecordCount()).isEqualTo(3);
    assertThat(put.records())
        .extracting(PutRecordsResultEntry::errorCode)
        .containsExactly(
            null,
            "InvalidArgumentException",
            "InvalidArgumentException",
            "InvalidArgumentException",
            null);
    assertThat(put.records().get(1).errorMessage()).contains("session of ENTER");
    assertThat(put.records().get(2).errorMessage()).contains("TICK can't be put here");
    assertThat(put.records().get(3).errorMessage()).contains("not JSON");
    assertThat(commands("mixed")).containsExactly(entered("mixed", "u1"), entered("mixed", "u3"));
    assertThatThrownBy(() -> Endpoints.put(client, "entries", "k", "{}"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("type is missing");
  }

  private static PutRecordsRequestEntry packed(String... records) {
    List<byte[]> bytes = List.of(records).stream().map(record -> record.getBytes(UTF_8)).toList();
    return PutRecordsRequestEntry.builder()
        .partitionKey("a")
        .data(SdkBytes.fromByteArray(Aggregates.of(bytes)))
        .build();
  }

  @Test
  void ofPackedRecordsTheGoodOnesAreStoredAndTheOthersKeptAside() throws Exception {
    PutRecordsResponse put =
        put(
            "entries",
            packed(
                enter("packed", "u1"),
                enter("packed", "not an id"),
                enter("elsewhere", "u2"),
                enter("packed", "u3")),
            entry("k", enter("packed", "u4")));

    assertThat(put.failedRecordCount()).isZero();
    assertThat(commands("packed"))
        .containsExactly(entered("packed", "u1"), entered("packed", "u3"), entered("packed", "u4"));
    assertThat(commands("elsewhere")).containsExactly(entered("elsewhere", "u2"));
    PutRecordsResultEntry last = put.records().get(0);
    assertThat(last.shardId()).isEqualTo(shardOf("packed"));
    assertThat(at("entries", last.shardId(), last.sequenceNumber()).data().asUtf8String())
        .contains("u3");
    ConsumerRecord<byte[], byte[]> letter = stored(TOPICS.deadLetters(), "key-1").get(0);
    assertThat(new String(letter.value(), UTF_8))
        .isEqualTo(enter("packed", "not an id", "(token)"));
    assertThat(new String(letter.headers().lastHeader("sluice-dlq-reason").value(), UTF_8))
        .startsWith("put into entries in an aggregated record: requestId of ENTER");
  }

  @Test
  void ofPackedRecordsThatAreAllBadNothingIsKept() {
    byte[] torn = Aggregates.of(List.of(enter("torn", "u").getBytes(UTF_8)));
    torn[torn.length - 1]++;

    PutRecordsResponse put =
        put(
            "entries",
            packed("1", "2", "3", "4", "5", "6", "7"),
            PutRecordsRequestEntry.builder()
                .partitionKey("a")
                .data(SdkBytes.fromByteArray(torn))
                .build());

    assertThat(put.failedRecordCount()).isEqualTo(2);
    assertThat(put.records().get(0).errorMessage())
        .startsWith("none of the 7 records in the aggregated one can be used");
    assertThat(put.records().get(1).errorMessage()).contains("digest is wrong");
    assertThat(stored(TOPICS.deadLetters(), "key-6")).isEmpty();
    assertThat(stored(TOPICS.entries(), "torn")).isEmpty();
  }

  @Test
  void eventsAndJoinsAreStoredUnmarkedAndJoinsAreCounted() throws Exception {
    PutRecordsResponse events =
        put(
            "room-events",
            entry("k", "{\"type\":\"MESSAGE\",\"v\":1,\"roomId\":\"talk\",\"payload\":1}"),
            entry("k", "{\"type\":\"JOIN\",\"v\":1,\"roomId\":\"talk\"}"));
    PutRecordsResponse joins =
        put(
            "joins",
            entry("k", "{\"type\":\"JOIN\",\"v\":1,\"roomId\":\"talk\",\"userId\":\"u\"}"),
            entry("k", "{\"type\":\"LEAVE\",\"v\":1,\"roomId\":\"talk\",\"userId\":\"u\"}"));

    assertThat(events.failedRecordCount()).isEqualTo(1);
    assertThat(joins.failedRecordCount()).isZero();
    List<EventKind> kinds = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : stored(TOPICS.roomEvents(), "talk")) {
      assertThat(record.partition()).isEqualTo(Partitions.of("talk", PARTITIONS));
      assertThat(record.headers()).isEmpty();
      kinds.add(RoomEventJson.read(record.value()).kind());
    }
    assertThat(kinds).containsExactly(EventKind.MESSAGE, EventKind.JOIN);
    List<Membership> members = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : stored(TOPICS.joins(), "talk")) {
      assertThat(record.partition()).isEqualTo(Partitions.of("talk", PARTITIONS));
      members.add(MembershipJson.read("talk", record.value()));
    }
    assertThat(members).extracting(Membership::joins).containsExactly(true, false);
  }

  @Test
  void outcomesAreReadOnceTheyAreCommitted() throws Exception {
    String room = "lobby";
    byte[] waiting = OutcomeJson.write(progress(room, 1));
    byte[] aborted = OutcomeJson.write(progress(room, 2));
    byte[] next = OutcomeJson.write(progress(room, 3));
    try (KafkaProducer<byte[], byte[]> producer =
        producer(Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, TOPICS.outcomes()))) {
      producer.initTransactions();
      write(producer, room, waiting);
      producer.commitTransaction();
      write(producer, room, aborted);
      producer.abortTransaction();
      await().until(() -> all("outcomes", room).equals(List.of(new String(waiting, UTF_8))));

      String arn = summary("outcomes").streamARN();
      String consumer =
          client
              .registerStreamConsumer(r -> r.streamARN(arn).consumerName("site"))
              .consumer()
              .consumerARN();
      assertThat(summary("outcomes").consumerCount()).isEqualTo(1);
      List<SubscribeToShardEvent> heard = Collections.synchronizedList(new ArrayList<>());
      KinesisAsyncClient async = ENDPOINTS.asyncClient(endpoint);
      var subscription =
          async.subscribeToShard(
              r ->
                  r.consumerARN(consumer)
                      .shardId(shardOf(room))
                      .startingPosition(p -> p.type(ShardIteratorType.TRIM_HORIZON)),
              SubscribeToShardResponseHandler.builder()
                  .subscriber(event -> heard.add((SubscribeToShardEvent) event))
                  .build());
      write(producer, room, next);
      producer.commitTransaction();

      List<String> both = List.of(new String(waiting, UTF_8), new String(next, UTF_8));
      await().untilAsserted(() -> assertThat(texts(records(heard))).isEqualTo(both));
      assertThat(records(heard)).allMatch(record -> record.partitionKey().equals(room));
      assertThat(all("outcomes", room)).isEqualTo(both);
      subscription.cancel(true);
      client.deregisterStreamConsumer(r -> r.consumerARN(consumer));
      assertThat(summary("outcomes").consumerCount()).isZero();
    }
  }

  private static Outcome progress(String room, int waiting) {
    return new Outcome.Progress(
        room, waiting, 0, 10, RoomState.OPEN, new Version(0, waiting, 0), 1_000);
  }

  private static List<Record> records(List<SubscribeToShardEvent> events) {
    synchronized (events) {
      return events.stream()
          .flatMap(event -> event.records().stream())
          .collect(Collectors.toList());
    }
  }

  private static List<String> all(String stream, String room) {
    return texts(Endpoints.all(client, stream, shardOf(room)));
  }

  private static KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(TestBroker.clients());
    settings.putAll(more);
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private static void write(KafkaProducer<byte[], byte[]> producer, String room, byte[] value)
      throws Exception {
    producer.beginTransaction();
    producer
        .send(
            new ProducerRecord<>(
                TOPICS.outcomes(), Partitions.of(room, PARTITIONS), room.getBytes(UTF_8), value))
        .get();
  }

  @Test
  void whatHasNoKeyOrNoValueIsReadAllTheSame() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      producer.send(new ProducerRecord<>(TOPICS.hotRooms(), "r".getBytes(UTF_8), null)).get();
      producer.send(new ProducerRecord<>(TOPICS.entries(), 0, null, "{}".getBytes(UTF_8))).get();
    }
    KinesisClient json = ENDPOINTS.client(endpoint, /* cbor= */ false);

    for (KinesisClient each : List.of(client, json)) {
      Record tombstone = Endpoints.all(each, "hot-rooms", "shardId-000000000000").get(0);
      assertThat(tombstone.partitionKey()).isEqualTo("r");
      assertThat(tombstone.data().asByteArray()).isEmpty();
      assertThat(Endpoints.all(each, "entries", "shardId-000000000000"))
          .anyMatch(record -> record.partitionKey().equals("-"));
    }
  }

  @Test
  void nothingIsAcknowledgedWhileKafkaIsAway() throws Exception {
    int nobody;
    try (ServerSocket socket = new ServerSocket(0)) {
      nobody = socket.getLocalPort();
    }
    StreamState stream =
        StreamChange.ofOthers(null, "entries", TOPICS.entries(), PARTITIONS, 24, 1_000);
    Entry good = new Entry("k", null, enter("away", "u").getBytes(UTF_8));
    Entry bad = new Entry("k", null, "{}".getBytes(UTF_8));
    try (OwnStreams own =
        new OwnStreams(
            Map.of("bootstrap.servers", "127.0.0.1:" + nobody),
            ENDPOINTS.prefix(),
            SESSIONS,
            (other, entries) -> {
              throw new AssertionError("it is its own stream");
            })) {
      List<Put> puts = own.put(stream, List.of(good, bad, good, good)).get(30, TimeUnit.SECONDS);

      assertThat(puts)
          .extracting(put -> put.failure().type())
          .containsExactly(
              ErrorType.INTERNAL_FAILURE,
              ErrorType.INVALID_ARGUMENT,
              ErrorType.INTERNAL_FAILURE,
              ErrorType.INTERNAL_FAILURE);
    }
  }

  @Test
  void anEndpointThatOffersNoneWritesNone() throws Exception {
    KinesisClient other = ENDPOINTS.client(ENDPOINTS.start(Clock.systemUTC()), /* cbor= */ true);

    assertThatThrownBy(() -> Endpoints.put(other, "entries", "k", enter("r", "u")))
        .isInstanceOf(KinesisException.class)
        .hasMessageContaining("It can only be read here.");
  }
}
