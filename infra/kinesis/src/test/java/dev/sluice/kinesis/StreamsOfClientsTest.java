package dev.sluice.kinesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.EncryptionType;
import software.amazon.awssdk.services.kinesis.model.InvalidArgumentException;
import software.amazon.awssdk.services.kinesis.model.LimitExceededException;
import software.amazon.awssdk.services.kinesis.model.ListStreamsResponse;
import software.amazon.awssdk.services.kinesis.model.MetricsName;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResultEntry;
import software.amazon.awssdk.services.kinesis.model.ResourceInUseException;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;
import software.amazon.awssdk.services.kinesis.model.StreamDescription;
import software.amazon.awssdk.services.kinesis.model.StreamDescriptionSummary;
import software.amazon.awssdk.services.kinesis.model.StreamMode;
import software.amazon.awssdk.services.kinesis.model.Tag;
import software.amazon.awssdk.services.kinesis.model.ValidationException;

/** Streams made, described, changed and deleted by AWS's own clients, at two endpoints. */
@Timeout(90)
class StreamsOfClientsTest {
  private static final String FIRST = "shardId-000000000000";
  private static final Endpoints ENDPOINTS = new Endpoints();
  private static KinesisClient cbor;
  private static KinesisClient json;

  @BeforeAll
  static void start() throws Exception {
    cbor = ENDPOINTS.client(ENDPOINTS.start(Clock.systemUTC()), /* cbor= */ true);
    json = ENDPOINTS.client(ENDPOINTS.start(Clock.systemUTC()), /* cbor= */ false);
  }

  @AfterAll
  static void stop() throws Exception {
    ENDPOINTS.close();
  }

  private static StreamDescriptionSummary summary(String stream) {
    return json.describeStreamSummary(r -> r.streamName(stream)).streamDescriptionSummary();
  }

  @Test
  void nothingOfADeletedStreamIsReadFromOneOfItsName() {
    String stream = ENDPOINTS.create(cbor, 1);
    put(stream, "old", 200);
    // Both endpoints have fetched ahead.
    for (KinesisClient client : List.of(cbor, json)) {
      String begin = Endpoints.iterator(client, stream, FIRST, ShardIteratorType.TRIM_HORIZON);
      assertThat(client.getRecords(r -> r.shardIterator(begin).limit(100)).records()).hasSize(100);
    }
    cbor.deleteStream(r -> r.streamName(stream));
    await()
        .ignoreException(ResourceInUseException.class)
        .until(
            () -> {
              cbor.createStream(r -> r.streamName(stream).shardCount(1));
              return true;
            });
    Endpoints.awaitActive(cbor, stream);
    List<String> numbers = put(stream, "new", 200);

    for (KinesisClient client : List.of(cbor, json)) {
      String iterator =
          client
              .getShardIterator(
                  r ->
                      r.streamName(stream)
                          .shardId(FIRST)
                          .shardIteratorType(ShardIteratorType.AFTER_SEQUENCE_NUMBER)
                          .startingSequenceNumber(numbers.get(99)))
              .shardIterator();
      assertThat(Endpoints.texts(Endpoints.get(client, iterator).records()))
          .hasSize(100)
          .startsWith("new-100")
          .allMatch(text -> text.startsWith("new-"));
    }
  }

  private static List<String> put(String stream, String what, int count) {
    return cbor
        .putRecords(
            r ->
                r.streamName(stream)
                    .records(
                        IntStream.range(0, count)
                            .mapToObj(i -> Endpoints.entry("key", what + "-" + i))
                            .toList()))
        .records()
        .stream()
        .map(PutRecordsResultEntry::sequenceNumber)
        .toList();
  }

  @Test
  void aStreamIsDescribedAndItsShardsPageByPage() {
    String stream = ENDPOINTS.create(cbor, 3);

    StreamDescription first =
        json.describeStream(r -> r.streamName(stream).limit(2)).streamDescription();
    StreamDescription rest =
        json.describeStream(
                r -> r.streamName(stream).exclusiveStartShardId(first.shards().get(1).shardId()))
            .streamDescription();

    assertThat(first.shards()).hasSize(2);
    assertThat(first.hasMoreShards()).isTrue();
    assertThat(rest.shards()).hasSize(1);
    assertThat(rest.hasMoreShards()).isFalse();
    assertThat(rest.retentionPeriodHours()).isEqualTo(24);
    assertThat(rest.encryptionType()).isEqualTo(EncryptionType.NONE);
    assertThat(rest.streamModeDetails().streamMode()).isEqualTo(StreamMode.PROVISIONED);
    assertThat(summary(stream).openShardCount()).isEqualTo(3);
    assertThat(summary(stream).maxRecordSizeInKiB()).isEqualTo(1_024);
    assertThat(
            cbor.describeStreamSummary(r -> r.streamARN(first.streamARN()))
                .streamDescriptionSummary()
                .streamName())
        .isEqualTo(stream);
  }

  @Test
  void streamsAreListedPageByPage() {
    List<String> made = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      made.add(ENDPOINTS.create(cbor, 1));
    }
    List<String> listed = new ArrayList<>();

    ListStreamsResponse page = json.listStreams(r -> r.limit(1));
    listed.addAll(page.streamNames());
    while (page.hasMoreStreams()) {
      String token = page.nextToken();
      page = cbor.listStreams(r -> r.limit(1).nextToken(token));
      listed.addAll(page.streamNames());
    }

    assertThat(listed).containsAll(made).doesNotHaveDuplicates().isSorted();
    assertThat(cbor.listStreams(r -> r.exclusiveStartStreamName(made.get(1))).streamNames())
        .contains(made.get(2))
        .doesNotContain(made.get(0), made.get(1));
  }

  @Test
  void aStreamIsMadeOnceAndGoesWhenItIsDeleted() {
    String stream = ENDPOINTS.create(cbor, 1);

    assertThatThrownBy(() -> json.createStream(r -> r.streamName(stream).shardCount(1)))
        .isInstanceOf(ResourceInUseException.class);
    json.deleteStream(r -> r.streamName(stream));
    await()
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> summary(stream))
                    .isInstanceOf(ResourceNotFoundException.class)
                    .hasMessageContaining(
                        "Stream %s under account 000000000000 not found.".formatted(stream)));
    assertThatThrownBy(() -> cbor.createStream(r -> r.streamName("other")))
        .isInstanceOf(ValidationException.class)
        .hasMessageContaining("Value null at 'shardCount'");
    assertThatThrownBy(
            () -> cbor.createStream(r -> r.streamName("other").shardCount(2_000_000_000)))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("This request would exceed the shard limit for the account");
  }

  @Test
  void retentionAndRecordSizeAndModeAreChanged() {
    String stream = ENDPOINTS.create(cbor, 1);
    String arn = summary(stream).streamARN();

    cbor.increaseStreamRetentionPeriod(r -> r.streamName(stream).retentionPeriodHours(48));
    Endpoints.awaitActive(cbor, stream);
    assertThat(summary(stream).retentionPeriodHours()).isEqualTo(48);
    cbor.decreaseStreamRetentionPeriod(r -> r.streamName(stream).retentionPeriodHours(24));
    Endpoints.awaitActive(cbor, stream);
    assertThatThrownBy(
            () ->
                cbor.decreaseStreamRetentionPeriod(
                    r -> r.streamName(stream).retentionPeriodHours(23)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("Minimum allowed retention period is 24 hours.");
    cbor.updateMaxRecordSize(r -> r.streamARN(arn).maxRecordSizeInKiB(2_048));
    Endpoints.awaitActive(cbor, stream);
    cbor.putRecord(
        r ->
            r.streamName(stream)
                .partitionKey("k")
                .data(SdkBytes.fromByteArray(new byte[(2 << 20) - 1])));
    cbor.updateStreamMode(
        r -> r.streamARN(arn).streamModeDetails(m -> m.streamMode(StreamMode.ON_DEMAND)));
    assertThat(summary(stream).streamModeDetails().streamMode()).isEqualTo(StreamMode.ON_DEMAND);
    assertThat(cbor.describeLimits().onDemandStreamCount()).isPositive();
  }

  @Test
  void encryptionAndMonitoringAreAnsweredAsAskedFor() {
    String stream = ENDPOINTS.create(cbor, 1);

    cbor.startStreamEncryption(
        r -> r.streamName(stream).encryptionType(EncryptionType.KMS).keyId("alias/aws/kinesis"));
    assertThat(summary(stream).encryptionType()).isEqualTo(EncryptionType.KMS);
    assertThat(
            cbor.putRecords(r -> r.streamName(stream).records(Endpoints.entry("k", "1")))
                .encryptionType())
        .isEqualTo(EncryptionType.KMS);
    cbor.stopStreamEncryption(
        r -> r.streamName(stream).encryptionType(EncryptionType.KMS).keyId("alias/aws/kinesis"));
    assertThat(summary(stream).encryptionType()).isEqualTo(EncryptionType.NONE);

    var enabled =
        cbor.enableEnhancedMonitoring(
            r -> r.streamName(stream).shardLevelMetrics(MetricsName.INCOMING_BYTES));
    assertThat(enabled.currentShardLevelMetrics()).isEmpty();
    assertThat(enabled.desiredShardLevelMetrics()).containsExactly(MetricsName.INCOMING_BYTES);
    assertThat(summary(stream).enhancedMonitoring().get(0).shardLevelMetrics())
        .containsExactly(MetricsName.INCOMING_BYTES);
    assertThat(
            cbor.disableEnhancedMonitoring(
                    r -> r.streamName(stream).shardLevelMetrics(MetricsName.ALL))
                .desiredShardLevelMetrics())
        .isEmpty();
  }

  @Test
  void tagsAreAddedListedAndRemoved() {
    String stream = ENDPOINTS.create(cbor, 1);
    String arn = summary(stream).streamARN();

    cbor.addTagsToStream(r -> r.streamName(stream).tags(Map.of("a", "1", "b", "ü")));
    cbor.tagResource(r -> r.resourceARN(arn).tags(Map.of("c", "")));

    var page = json.listTagsForStream(r -> r.streamName(stream).limit(2));
    assertThat(page.tags()).containsExactly(tag("a", "1"), tag("b", "ü"));
    assertThat(page.hasMoreTags()).isTrue();
    var rest = json.listTagsForStream(r -> r.streamName(stream).exclusiveStartTagKey("b"));
    assertThat(rest.tags()).containsExactly(tag("c", ""));
    assertThat(rest.hasMoreTags()).isFalse();
    cbor.removeTagsFromStream(r -> r.streamName(stream).tagKeys("a", "none"));
    cbor.untagResource(r -> r.resourceARN(arn).tagKeys("b"));
    assertThat(json.listTagsForResource(r -> r.resourceARN(arn)).tags())
        .containsExactly(tag("c", ""));
    assertThatThrownBy(() -> cbor.addTagsToStream(r -> r.streamName(stream).tags(Map.of("a", "^"))))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("Some tags contain invalid characters.");
  }

  private static Tag tag(String key, String value) {
    return Tag.builder().key(key).value(value).build();
  }
}
