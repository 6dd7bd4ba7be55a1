package dev.sluice.kinesis;

import static dev.sluice.kinesis.Endpoints.entry;
import static dev.sluice.kinesis.Endpoints.get;
import static dev.sluice.kinesis.Endpoints.iterator;
import static dev.sluice.kinesis.Endpoints.put;
import static dev.sluice.kinesis.Endpoints.shards;
import static dev.sluice.kinesis.Endpoints.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.kinesis.shard.SequenceNumber;
import java.math.BigInteger;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ExpiredIteratorException;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.InvalidArgumentException;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResultEntry;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;
import software.amazon.awssdk.services.kinesis.model.ValidationException;

/** Puts and reads of AWS's own clients, with two endpoints on one broker. */
@Timeout(90)
class RecordsTest {
  private static final String FIRST = "shardId-000000000000";
  private static final Endpoints ENDPOINTS = new Endpoints();
  private static KinesisEndpoint endpoint;
  private static KinesisClient cbor;
  private static KinesisClient json;

  @BeforeAll
  static void start() throws Exception {
    endpoint = ENDPOINTS.start(Clock.systemUTC());
    cbor = ENDPOINTS.client(endpoint, /* cbor= */ true);
    json = ENDPOINTS.client(ENDPOINTS.start(Clock.systemUTC()), /* cbor= */ false);
  }

  @AfterAll
  static void stop() throws Exception {
    ENDPOINTS.close();
  }

  private static KinesisClient client(String format) {
    return format.equals("CBOR") ? cbor : json;
  }

  @ParameterizedTest
  @ValueSource(strings = {"CBOR", "JSON"})
  void aTimestampGivesTheRecordsSinceThen(String format) {
    KinesisClient client = client(format);
    String stream = ENDPOINTS.create(client, 1);
    Instant before = Instant.now();
    put(client, stream, "k", "1");
    Instant arrival =
        get(client, iterator(client, stream, FIRST, ShardIteratorType.TRIM_HORIZON))
            .records()
            .get(0)
            .approximateArrivalTimestamp();
    put(client, stream, "k", "2");

    String since =
        client
            .getShardIterator(
                request ->
                    request
                        .streamName(stream)
                        .shardId(FIRST)
                        .shardIteratorType(ShardIteratorType.AT_TIMESTAMP)
                        .timestamp(arrival))
            .shardIterator();

    assertThat(texts(get(client, since).records())).containsExactly("1", "2");
    assertThat(arrival).isBetween(before.minusSeconds(1), Instant.now().plusSeconds(1));
  }

  @Test
  void whatIsPutInOneFormatAtOneEndpointIsReadInTheOtherAtTheOther() {
    String stream = ENDPOINTS.create(cbor, 1);
    SdkBytes bytes = SdkBytes.fromByteArray(new byte[] {0, 1, -1, (byte) 0x80, 127});

    cbor.putRecord(request -> request.streamName(stream).partitionKey("ä").data(bytes));
    json.putRecord(request -> request.streamName(stream).partitionKey("ä").data(bytes));

    for (KinesisClient client : List.of(cbor, json)) {
      List<Record> records = Endpoints.all(client, stream, FIRST);
      assertThat(records).hasSize(2).allMatch(record -> record.data().equals(bytes));
      assertThat(records).allMatch(record -> record.partitionKey().equals("ä"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",\"Data\":null", ",\"Data\":1"})
  void recordsWithoutDataAreNoRequest(String data) throws Exception {
    String stream = ENDPOINTS.create(cbor, 1);

    HttpResponse<String> one =
        ENDPOINTS.send(
            endpoint,
            "PutRecord",
            "{\"StreamName\":\"%s\",\"PartitionKey\":\"k\"%s}".formatted(stream, data));
    HttpResponse<String> many =
        ENDPOINTS.send(
            endpoint,
            "PutRecords",
            "{\"StreamName\":\"%s\",\"Records\":[{\"PartitionKey\":\"k\",\"Data\":\"AA==\"},{\"PartitionKey\":\"k\"%s}]}"
                .formatted(stream, data));

    assertThat(one.statusCode()).isEqualTo(400);
    assertThat(one.body()).contains("SerializationException");
    assertThat(many.statusCode()).isEqualTo(400);
    assertThat(many.body()).contains("SerializationException");
    assertThat(Endpoints.all(cbor, stream, FIRST)).isEmpty();
  }

  @Test
  void anAsynchronousClientPutsOverHttp2() throws Exception {
    String stream = ENDPOINTS.create(cbor, 1);

    var put =
        ENDPOINTS
            .asyncClient(endpoint)
            .putRecord(
                request ->
                    request.streamName(stream).partitionKey("k").data(SdkBytes.fromUtf8String("1")))
            .get(30, TimeUnit.SECONDS);

    assertThat(put.sdkHttpResponse().statusCode()).isEqualTo(200);
    assertThat(texts(Endpoints.all(cbor, stream, FIRST))).containsExactly("1");
  }

  @Test
  void resultsAreInTheOrderOfTheRequestWithTheShardOfEach() {
    String stream = ENDPOINTS.create(cbor, 4);
    List<PutRecordsRequestEntry> entries =
        IntStream.range(0, 500).mapToObj(i -> entry("k" + i, Integer.toString(i))).toList();

    PutRecordsResponse put =
        cbor.putRecords(request -> request.streamName(stream).records(entries));

    assertThat(put.failedRecordCount()).isZero();
    assertThat(put.records()).hasSize(500);
    for (Shard shard : shards(cbor, stream)) {
      List<Record> records = Endpoints.all(cbor, stream, shard.shardId());
      assertThat(records).isNotEmpty();
      for (Record record : records) {
        PutRecordsResultEntry result =
            put.records().get(Integer.parseInt(record.data().asUtf8String()));
        assertThat(result.shardId()).isEqualTo(shard.shardId());
        assertThat(result.sequenceNumber()).isEqualTo(record.sequenceNumber());
      }
    }
  }

  @Test
  void whatOneShardCantTakeFailsAloneAndIsCounted() throws Exception {
    String stream = ENDPOINTS.create(cbor, 2);
    List<Shard> shards = shards(cbor, stream);
    ENDPOINTS.setMaxMessageBytes(stream, 10_000);

    PutRecordsResponse put =
        json.putRecords(
            request ->
                request
                    .streamName(stream)
                    .records(
                        explicit(shards.get(0), 1),
                        explicit(shards.get(1), 20_000),
                        explicit(shards.get(0), 2)));

    assertThat(put.failedRecordCount()).isEqualTo(1);
    assertThat(put.records())
        .extracting(PutRecordsResultEntry::shardId)
        .containsExactly(FIRST, null, FIRST);
    PutRecordsResultEntry failed = put.records().get(1);
    assertThat(failed.sequenceNumber()).isNull();
    assertThat(failed.errorCode()).isEqualTo("InternalFailure");
    assertThat(failed.errorMessage()).isEqualTo("Internal service failure.");
    assertThat(Endpoints.all(cbor, stream, FIRST)).hasSize(2);
    assertThat(Endpoints.all(cbor, stream, shards.get(1).shardId())).isEmpty();
  }

  private static PutRecordsRequestEntry explicit(Shard shard, int bytes) {
    return PutRecordsRequestEntry.builder()
        .partitionKey("k")
        .explicitHashKey(shard.hashKeyRange().startingHashKey())
        .data(SdkBytes.fromByteArray(new byte[bytes]))
        .build();
  }

  @Test
  void whatIsTooMuchIsRefusedAndNothingIsStored() {
    String stream = ENDPOINTS.create(cbor, 1);
    SdkBytes largest = SdkBytes.fromByteArray(new byte[1 << 20]);

    assertThatThrownBy(() -> putAll(stream, Collections.nCopies(501, entry("k", "1"))))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("Member must have length less than or equal to 500");
    assertThatThrownBy(() -> putAll(stream, List.of()))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("Member must have length greater than or equal to 1");
    assertThatThrownBy(
            () ->
                putAll(
                    stream,
                    List.of(
                        entry("k", "1"),
                        PutRecordsRequestEntry.builder().partitionKey("k").data(largest).build())))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("'records.2.member.data' failed to satisfy constraint: Member must")
        .hasMessageContaining("have length less than or equal to 1048575");
    assertThatThrownBy(() -> putAll(stream, List.of(entry("k".repeat(257), "1"))))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("'records.1.member.partitionKey' failed to satisfy constraint")
        .hasMessageContaining("Member must have length less than or equal to 256");
    assertThatThrownBy(() -> putAll(stream, List.of(explicit("01"))))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("0|([1-9]\\d{0,38})");
    String beyond = BigInteger.ONE.shiftLeft(128).toString();
    assertThatThrownBy(() -> putAll(stream, List.of(entry("k", "1"), explicit(beyond))))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(
            "Invalid ExplicitHashKey. ExplicitHashKey must be in the range: [0, 2^128-1]. Specified value was "
                + beyond);
    assertThatThrownBy(
            () ->
                putAll(
                    stream,
                    Collections.nCopies(
                        11,
                        PutRecordsRequestEntry.builder()
                            .partitionKey("k")
                            .data(SdkBytes.fromByteArray(new byte[1_000_000]))
                            .build())))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("Records size exceeds 10 MB limit");

    assertThat(Endpoints.all(cbor, stream, FIRST)).isEmpty();
    cbor.putRecord(
        request ->
            request
                .streamName(stream)
                .partitionKey("k")
                .data(SdkBytes.fromByteArray(new byte[(1 << 20) - 1])));
    assertThat(Endpoints.all(json, stream, FIRST)).hasSize(1);
  }

  private static void putAll(String stream, List<PutRecordsRequestEntry> entries) {
    cbor.putRecords(request -> request.streamName(stream).records(entries));
  }

  private static PutRecordsRequestEntry explicit(String hashKey) {
    return PutRecordsRequestEntry.builder()
        .partitionKey("k")
        .explicitHashKey(hashKey)
        .data(SdkBytes.fromUtf8String("1"))
        .build();
  }

  @Test
  void shardsDivideTheRingWithoutGapOrOverlap() {
    String stream = ENDPOINTS.create(cbor, 4);
    List<Shard> shards = shards(cbor, stream);
    BigInteger next = BigInteger.ZERO;
    for (Shard shard : shards) {
      assertThat(shard.hashKeyRange().startingHashKey()).isEqualTo(next.toString());
      next = new BigInteger(shard.hashKeyRange().endingHashKey()).add(BigInteger.ONE);
    }
    assertThat(next).isEqualTo(BigInteger.ONE.shiftLeft(128));

    assertThat(
            cbor.putRecord(
                    request ->
                        request
                            .streamName(stream)
                            .partitionKey("k")
                            .explicitHashKey(shards.get(2).hashKeyRange().startingHashKey())
                            .data(SdkBytes.fromUtf8String("1")))
                .shardId())
        .isEqualTo("shardId-000000000002");
  }

  @Test
  void iteratorsRepeatNothingAndGiveTheSameWhenUsedAgain() {
    String stream = ENDPOINTS.create(cbor, 1);
    for (int i = 0; i < 5; i++) {
      put(cbor, stream, "k", Integer.toString(i));
    }
    String first = iterator(cbor, stream, FIRST, ShardIteratorType.TRIM_HORIZON);

    GetRecordsResponse one = cbor.getRecords(r -> r.shardIterator(first).limit(2));
    GetRecordsResponse two =
        json.getRecords(r -> r.shardIterator(one.nextShardIterator()).limit(2));
    GetRecordsResponse three = get(cbor, two.nextShardIterator());
    GetRecordsResponse four = get(cbor, three.nextShardIterator());

    assertThat(texts(one.records())).containsExactly("0", "1");
    assertThat(texts(two.records())).containsExactly("2", "3");
    assertThat(texts(three.records())).containsExactly("4");
    assertThat(four.records()).isEmpty();
    assertThat(four.nextShardIterator()).isNotNull().hasSizeLessThanOrEqualTo(512);
    assertThat(get(json, two.nextShardIterator()).records()).isEqualTo(three.records());
  }

  @Test
  void anIteratorExpiresAfterFiveMinutesButIdlePollingGoesOn() throws Exception {
    MovingClock clock = new MovingClock();
    KinesisClient client = ENDPOINTS.client(ENDPOINTS.start(clock), /* cbor= */ true);
    String stream = ENDPOINTS.create(client, 1);
    String first = iterator(client, stream, FIRST, ShardIteratorType.LATEST);

    String polled = first;
    for (int i = 0; i < 3; i++) {
      clock.move(Duration.ofMinutes(3));
      polled = get(client, polled).nextShardIterator();
    }
    put(client, stream, "k", "1");

    assertThat(texts(get(client, polled).records())).containsExactly("1");
    assertThatThrownBy(() -> get(client, first))
        .isInstanceOf(ExpiredIteratorException.class)
        .hasMessageContaining("Iterator expired. The iterator was created at time ")
        .hasMessageContaining("tolerated delay of 300000 milliseconds.");
  }

  @Test
  void iteratorsCantBeMadeUp() {
    String stream = ENDPOINTS.create(cbor, 1);
    String iterator = iterator(cbor, stream, FIRST, ShardIteratorType.LATEST);

    for (int i = 0; i < iterator.length(); i += 7) {
      char other = iterator.charAt(i) == 'A' ? 'B' : 'A';
      String changed = iterator.substring(0, i) + other + iterator.substring(i + 1);
      assertThatThrownBy(() -> get(cbor, changed))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("Invalid ShardIterator.");
    }
  }

  @Test
  void latestGivesWhatIsPutAfterwards() {
    String stream = ENDPOINTS.create(cbor, 1);
    put(cbor, stream, "k", "before");
    String latest = iterator(cbor, stream, FIRST, ShardIteratorType.LATEST);

    put(json, stream, "k", "after");

    assertThat(texts(get(cbor, latest).records())).containsExactly("after");
  }

  @Test
  void aSequenceNumberIsIncludedOrNot() {
    String stream = ENDPOINTS.create(cbor, 2);
    String start = shards(cbor, stream).get(0).sequenceNumberRange().startingSequenceNumber();
    for (int i = 0; i < 3; i++) {
      String data = Integer.toString(i);
      cbor.putRecord(
          request ->
              request
                  .streamName(stream)
                  .partitionKey("k")
                  .explicitHashKey("0")
                  .data(SdkBytes.fromUtf8String(data)));
    }
    String second = Endpoints.all(cbor, stream, FIRST).get(1).sequenceNumber();

    assertThat(from(stream, FIRST, ShardIteratorType.AT_SEQUENCE_NUMBER, second))
        .containsExactly("1", "2");
    assertThat(from(stream, FIRST, ShardIteratorType.AFTER_SEQUENCE_NUMBER, second))
        .containsExactly("2");
    assertThat(from(stream, FIRST, ShardIteratorType.AT_SEQUENCE_NUMBER, start))
        .containsExactly("0", "1", "2");
    assertThat(from(stream, FIRST, ShardIteratorType.AFTER_SEQUENCE_NUMBER, start))
        .containsExactly("0", "1", "2");
    assertThatThrownBy(
            () ->
                from(stream, "shardId-000000000001", ShardIteratorType.AT_SEQUENCE_NUMBER, second))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(
            "Invalid StartingSequenceNumber. It encodes shardId-000000000000, while it was used in a call to a shard with shardId-000000000001");
    assertThatThrownBy(() -> from(stream, FIRST, ShardIteratorType.TRIM_HORIZON, second))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("Request specified TRIM_HORIZON and also a StartingSequenceNumber.");
    assertThatThrownBy(() -> from(stream, FIRST, ShardIteratorType.AT_SEQUENCE_NUMBER, null))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(
            "Request specified AT_SEQUENCE_NUMBER and no StartingSequenceNumber.");
    assertThatThrownBy(() -> from(stream, FIRST, ShardIteratorType.AT_SEQUENCE_NUMBER, "123"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("StartingSequenceNumber 123 used in GetShardIterator on shard");
  }

  @Test
  void aSequenceNumberThatNoRecordHasYetIsNone() {
    String stream = ENDPOINTS.create(cbor, 1);
    put(cbor, stream, "k", "0");
    SequenceNumber last =
        SequenceNumber.parse(Endpoints.all(cbor, stream, FIRST).get(0).sequenceNumber());

    for (ShardIteratorType type :
        List.of(ShardIteratorType.AT_SEQUENCE_NUMBER, ShardIteratorType.AFTER_SEQUENCE_NUMBER)) {
      from(stream, FIRST, type, last.toString());
      for (long index : new long[] {last.index() + 1, last.index() + 1_000_000, Long.MAX_VALUE}) {
        SequenceNumber beyond =
            new SequenceNumber(last.createdSeconds(), index, last.seconds(), last.shard());
        assertThatThrownBy(() -> from(stream, FIRST, type, beyond.toString()))
            .isInstanceOf(InvalidArgumentException.class)
            .hasMessageContaining("is invalid because it did not come from this stream.");
      }
    }
  }

  private static List<String> from(
      String stream, String shard, ShardIteratorType type, String sequenceNumber) {
    String iterator =
        cbor.getShardIterator(
                request ->
                    request
                        .streamName(stream)
                        .shardId(shard)
                        .shardIteratorType(type)
                        .startingSequenceNumber(sequenceNumber))
            .shardIterator();
    return texts(get(cbor, iterator).records());
  }

  @Test
  void whoIsBehindIsToldHowFar() throws Exception {
    String stream = ENDPOINTS.create(cbor, 1);
    put(cbor, stream, "k", "1");
    TimeUnit.MILLISECONDS.sleep(1_100);
    put(cbor, stream, "k", "2");
    String iterator = iterator(cbor, stream, FIRST, ShardIteratorType.TRIM_HORIZON);

    GetRecordsResponse first = cbor.getRecords(r -> r.shardIterator(iterator).limit(1));
    GetRecordsResponse second =
        cbor.getRecords(r -> r.shardIterator(first.nextShardIterator()).limit(1));

    assertThat(first.millisBehindLatest()).isGreaterThanOrEqualTo(1_000);
    assertThat(second.millisBehindLatest()).isZero();
    assertThat(texts(second.records())).containsExactly("2");
  }

  @Test
  void aStreamThatIsntThereIsNotFound() {
    assertThatThrownBy(() -> put(cbor, "none", "k", "1"))
        .isInstanceOf(ResourceNotFoundException.class)
        .hasMessageContaining("Stream none under account 000000000000 not found.");
    assertThatThrownBy(() -> iterator(cbor, "none", FIRST, ShardIteratorType.LATEST))
        .isInstanceOf(ResourceNotFoundException.class)
        .hasMessageContaining(
            "Shard shardId-000000000000 in stream none under account 000000000000 does not exist");
  }
}
