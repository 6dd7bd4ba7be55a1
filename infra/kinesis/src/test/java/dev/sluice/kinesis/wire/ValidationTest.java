package dev.sluice.kinesis.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class ValidationTest {
  private static final String NULL = "Member must not be null";
  private static final String NAME =
      "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+";
  private static final String ARN =
      "Member must satisfy regular expression pattern: arn:aws.*:kinesis:.*:\\d{12}:stream/\\S+";
  private static final String RESOURCE =
      "Member must satisfy regular expression pattern: arn:aws.*:kinesis:.*:\\d{12}:.*stream/\\S+";
  private static final String CONSUMER =
      "Member must satisfy regular expression pattern: ^(arn):aws.*:kinesis:.*:\\d{12}:.*stream\\/"
          + "[a-zA-Z0-9_.-]+\\/consumer\\/[a-zA-Z0-9_.-]+:[0-9]+";
  private static final String HASH_KEY =
      "Member must satisfy regular expression pattern: 0|([1-9]\\d{0,38})";
  private static final String SEQUENCE_NUMBER =
      "Member must satisfy regular expression pattern: 0|([1-9]\\d{0,128})";
  private static final String MEMBER_KEY =
      "[Member must have length less than or equal to 128, "
          + "Member must have length greater than or equal to 1]";
  private static final String ITERATOR_TYPE =
      "Member must satisfy enum value set: [AFTER_SEQUENCE_NUMBER, LATEST, AT_TIMESTAMP,"
          + " AT_SEQUENCE_NUMBER, TRIM_HORIZON]";
  private static final String METRICS =
      "Member must satisfy enum value set: [IncomingBytes, IncomingRecords, OutgoingBytes,"
          + " OutgoingRecords, WriteProvisionedThroughputExceeded,"
          + " ReadProvisionedThroughputExceeded, IteratorAgeMilliseconds, ALL]";
  private static final String GOOD_ARN = "arn:aws:kinesis:us-east-1:000000000000:stream/a";

  static Stream<Arguments> table() {
    return Stream.of(
        row(Action.ADD_TAGS_TO_STREAM, "{}", error(null, "tags", NULL)),
        row(
            Action.ADD_TAGS_TO_STREAM,
            "{'Tags':{},'StreamName':''}",
            error("{}", "tags", shortest(1)),
            error("", "streamName", NAME),
            error("", "streamName", shortest(1))),
        row(
            Action.ADD_TAGS_TO_STREAM,
            "{'Tags':{'':'x','b':null},'StreamARN':'a'}",
            error("{=x, b=null}", "tags", "Map keys must satisfy constraint: " + MEMBER_KEY),
            error(
                "{=x, b=null}",
                "tags",
                "Map value must satisfy constraint: [Member must have length less than or equal to"
                    + " 256, Member must have length greater than or equal to 0]"),
            error("a", "streamARN", ARN)),
        row(Action.CREATE_STREAM, "{}", error(null, "streamName", NULL)),
        row(
            Action.CREATE_STREAM,
            "{'StreamName':'','ShardCount':0}",
            error("0", "shardCount", least(1)),
            error("", "streamName", NAME),
            error("", "streamName", shortest(1))),
        row(
            Action.CREATE_STREAM,
            "{'StreamName':'"
                + "a".repeat(129)
                + "','StreamModeDetails':{},"
                + "'MaxRecordSizeInKiB':10241}",
            error("a".repeat(129), "streamName", longest(128)),
            error(null, "streamModeDetails.streamMode", NULL),
            error("10241", "maxRecordSizeInKiB", most(10240))),
        row(
            Action.DECREASE_STREAM_RETENTION_PERIOD,
            "{'StreamName':'a b'}",
            error(null, "retentionPeriodHours", NULL),
            error("a b", "streamName", NAME)),
        row(
            Action.DELETE_STREAM,
            "{'StreamName':'" + "a".repeat(130) + "'}",
            error("a".repeat(130), "streamName", longest(128))),
        row(
            Action.DEREGISTER_STREAM_CONSUMER,
            "{'StreamARN':'a','ConsumerName':'?','ConsumerARN':'c'}",
            error("a", "streamARN", ARN),
            error("?", "consumerName", NAME),
            error("c", "consumerARN", CONSUMER)),
        row(
            Action.DESCRIBE_STREAM,
            "{'Limit':0,'ExclusiveStartShardId':'','StreamName':'x'}",
            error("0", "limit", least(1)),
            error("", "exclusiveStartShardId", NAME),
            error("", "exclusiveStartShardId", shortest(1))),
        row(
            Action.DESCRIBE_STREAM_CONSUMER,
            "{'ConsumerARN':'" + GOOD_ARN + "'}",
            error(GOOD_ARN, "consumerARN", CONSUMER)),
        row(Action.DESCRIBE_STREAM_SUMMARY, "{'StreamName':'ü'}", error("ü", "streamName", NAME)),
        row(Action.DISABLE_ENHANCED_MONITORING, "{}", error(null, "shardLevelMetrics", NULL)),
        row(
            Action.ENABLE_ENHANCED_MONITORING,
            "{'ShardLevelMetrics':['ALL','some']}",
            error(
                "[ALL, some]",
                "shardLevelMetrics",
                "Member must satisfy constraint: [" + METRICS + "]")),
        row(
            Action.GET_RECORDS,
            "{'Limit':10001,'ShardIterator':''}",
            error("10001", "limit", most(10_000)),
            error("", "shardIterator", shortest(1))),
        row(
            Action.GET_RECORDS,
            "{'ShardIterator':'" + "i".repeat(513) + "'}",
            error("i".repeat(513), "shardIterator", longest(512))),
        row(
            Action.GET_SHARD_ITERATOR,
            "{}",
            error(null, "shardId", NULL),
            error(null, "shardIteratorType", NULL)),
        row(
            Action.GET_SHARD_ITERATOR,
            "{'ShardId':'s','ShardIteratorType':'FIRST','StartingSequenceNumber':'01'}",
            error("FIRST", "shardIteratorType", ITERATOR_TYPE),
            error("01", "startingSequenceNumber", SEQUENCE_NUMBER)),
        row(
            Action.INCREASE_STREAM_RETENTION_PERIOD,
            "{'StreamName':'a'}",
            error(null, "retentionPeriodHours", NULL)),
        row(
            Action.LIST_SHARDS,
            "{'MaxResults':0,'NextToken':'','ShardFilter':{'Type':'x','ShardId':''}}",
            error("0", "maxResults", least(1)),
            error("", "nextToken", shortest(1)),
            error(
                "x",
                "shardFilter.type",
                "Member must satisfy enum value set: [AFTER_SHARD_ID, AT_TRIM_HORIZON,"
                    + " FROM_TRIM_HORIZON, AT_LATEST, AT_TIMESTAMP, FROM_TIMESTAMP]"),
            error("", "shardFilter.shardId", NAME),
            error("", "shardFilter.shardId", shortest(1))),
        row(Action.LIST_STREAM_CONSUMERS, "{}", error(null, "streamARN", NULL)),
        row(
            Action.LIST_STREAMS,
            "{'Limit':0,'ExclusiveStartStreamName':'/'}",
            error("0", "limit", least(1)),
            error("/", "exclusiveStartStreamName", NAME)),
        row(Action.LIST_TAGS_FOR_RESOURCE, "{}", error(null, "resourceARN", NULL)),
        row(
            Action.LIST_TAGS_FOR_STREAM,
            "{'Limit':51,'ExclusiveStartTagKey':'" + "k".repeat(129) + "','StreamName':'a'}",
            error("51", "limit", most(50)),
            error("k".repeat(129), "exclusiveStartTagKey", longest(128))),
        row(
            Action.MERGE_SHARDS,
            "{}",
            error(null, "shardToMerge", NULL),
            error(null, "adjacentShardToMerge", NULL)),
        row(
            Action.PUT_RECORD,
            "{'StreamName':'','PartitionKey':'','Data':'','ExplicitHashKey':'',"
                + "'SequenceNumberForOrdering':''}",
            error("", "sequenceNumberForOrdering", SEQUENCE_NUMBER),
            error("", "partitionKey", shortest(1)),
            error("", "explicitHashKey", HASH_KEY),
            error("", "streamName", NAME),
            error("", "streamName", shortest(1))),
        row(
            Action.PUT_RECORD,
            "{'StreamName':'a','PartitionKey':'" + "k".repeat(257) + "','Data':''}",
            error("k".repeat(257), "partitionKey", longest(256))),
        row(
            Action.PUT_RECORDS,
            "{'StreamName':'','Records':[]}",
            error("[]", "records", shortest(1)),
            error("", "streamName", NAME),
            error("", "streamName", shortest(1))),
        row(
            Action.PUT_RECORDS,
            "{'StreamName':'a','Records':[{'PartitionKey':'k','Data':''},null,"
                + "{'Data':'','ExplicitHashKey':'-1'}]}",
            error(null, "records.2.member", NULL),
            error(null, "records.3.member.partitionKey", NULL),
            error("-1", "records.3.member.explicitHashKey", HASH_KEY)),
        row(
            Action.REGISTER_STREAM_CONSUMER,
            "{'StreamARN':'" + GOOD_ARN + "'}",
            error(null, "consumerName", NULL)),
        row(
            Action.REMOVE_TAGS_FROM_STREAM,
            "{'StreamName':'a','TagKeys':['a','','b']}",
            error("[a, , b]", "tagKeys", "Member must satisfy constraint: " + MEMBER_KEY)),
        row(
            Action.SPLIT_SHARD,
            "{'NewStartingHashKey':'x','ShardToSplit':'s'}",
            error("x", "newStartingHashKey", HASH_KEY)),
        row(
            Action.START_STREAM_ENCRYPTION,
            "{'EncryptionType':'AES'}",
            error("AES", "encryptionType", "Member must satisfy enum value set: [NONE, KMS]"),
            error(null, "keyId", NULL)),
        row(
            Action.STOP_STREAM_ENCRYPTION,
            "{'KeyId':''}",
            error(null, "encryptionType", NULL),
            error("", "keyId", shortest(1))),
        row(
            Action.SUBSCRIBE_TO_SHARD,
            "{'ConsumerARN':'c','StartingPosition':{'Type':'x'}}",
            error("c", "consumerARN", CONSUMER),
            error(null, "shardId", NULL),
            error("x", "startingPosition.type", ITERATOR_TYPE)),
        row(
            Action.TAG_RESOURCE,
            "{'ResourceARN':'a'}",
            error(null, "tags", NULL),
            error("a", "resourceARN", RESOURCE)),
        row(
            Action.UNTAG_RESOURCE,
            "{}",
            error(null, "tagKeys", NULL),
            error(null, "resourceARN", NULL)),
        row(
            Action.UPDATE_MAX_RECORD_SIZE,
            "{'MaxRecordSizeInKiB':1023}",
            error("1023", "maxRecordSizeInKiB", least(1024))),
        row(
            Action.UPDATE_SHARD_COUNT,
            "{'StreamName':'','ScalingType':'','TargetShardCount':0}",
            error("", "scalingType", "Member must satisfy enum value set: [UNIFORM_SCALING]"),
            error("", "streamName", NAME),
            error("", "streamName", shortest(1)),
            error("0", "targetShardCount", least(1))),
        row(
            Action.UPDATE_STREAM_MODE,
            "{'StreamModeDetails':{'StreamMode':'BOTH'}}",
            error(null, "streamARN", NULL),
            error(
                "BOTH",
                "streamModeDetails.streamMode",
                "Member must satisfy enum value set: [PROVISIONED, ON_DEMAND]")));
  }

  @ParameterizedTest
  @MethodSource("table")
  void whatAwsRefusesIsRefusedInItsWords(Action action, String body, String message)
      throws Exception {
    Input input = read(action, body);

    KinesisException refusal =
        catchThrowableOfType(KinesisException.class, () -> Validation.check(input));

    assertThat(refusal.getMessage()).isEqualTo(message);
    assertThat(refusal.type()).isEqualTo(ErrorType.VALIDATION);
  }

  @Test
  void everyActionThatTakesSomethingIsRefusedSomething() {
    EnumSet<Action> tested = EnumSet.of(Action.DESCRIBE_LIMITS);
    table().forEach(arguments -> tested.add((Action) arguments.get()[0]));

    assertThat(tested).containsExactlyInAnyOrder(Action.values());
  }

  @ParameterizedTest
  @EnumSource
  void anActionIsFoundByItsTitle(Action action) {
    assertThat(Action.titled(action.title())).isEqualTo(action);
  }

  @Test
  void atTheLimitsAllIsWell() {
    String record =
        "{'PartitionKey':'"
            + "😀".repeat(256)
            + "','Data':'','ExplicitHashKey':'"
            + "9".repeat(39)
            + "'}";
    String records = String.join(",", Collections.nCopies(500, record));

    assertThatCode(
            () -> {
              Validation.check(
                  read(
                      Action.PUT_RECORDS,
                      "{'StreamName':'" + "a".repeat(128) + "','Records':[" + records + "]}"));
              Validation.check(read(Action.LIST_STREAMS, "{'Limit':10000}"));
              Validation.check(
                  read(
                      Action.SUBSCRIBE_TO_SHARD,
                      "{'ConsumerARN':'"
                          + GOOD_ARN
                          + "/consumer/c:1','ShardId':'shardId-0',"
                          + "'StartingPosition':{'Type':'LATEST'}}"));
              Validation.check(read(Action.GET_RECORDS, "{'ShardIterator':'x','Limit':null}"));
            })
        .doesNotThrowAnyException();
  }

  @Test
  void moreThanFiveHundredRecordsAreRefused() throws Exception {
    String records = String.join(",", Collections.nCopies(501, "{'PartitionKey':'k','Data':''}"));
    Input input = read(Action.PUT_RECORDS, "{'StreamName':'a','Records':[" + records + "]}");

    assertThat(catchThrowableOfType(KinesisException.class, () -> Validation.check(input)))
        .hasMessageStartingWith(
            "1 validation error detected: Value"
                + " '[com.amazonaws.kinesis.v20131202.PutRecordsRequestEntry@")
        .hasMessageEndingWith("' at 'records' failed to satisfy constraint: " + longest(500));
  }

  @Test
  void tenErrorsAreNamedAtMost() throws Exception {
    String records = String.join(",", Collections.nCopies(20, "{'PartitionKey':'','Data':''}"));
    Input input = read(Action.PUT_RECORDS, "{'StreamName':'a','Records':[" + records + "]}");

    assertThat(catchThrowableOfType(KinesisException.class, () -> Validation.check(input)))
        .hasMessageStartingWith("10 validation errors detected: ")
        .hasMessageContaining("'records.10.member.partitionKey'")
        .hasMessageNotContaining("'records.11.member.partitionKey'");
  }

  @Test
  void aRecordWithoutDataIsNone() throws Exception {
    for (String data : new String[] {"", ",'Data':null"}) {
      Input one = read(Action.PUT_RECORD, "{'StreamName':'a','PartitionKey':'k'" + data + "}");
      Input many =
          read(
              Action.PUT_RECORDS,
              "{'StreamName':'a','Records':[{'PartitionKey':'k'" + data + "}]}");

      assertThat(catchThrowableOfType(KinesisException.class, () -> Validation.check(one)))
          .hasMessage(error(null, "data", NULL))
          .extracting(KinesisException::type)
          .isEqualTo(ErrorType.SERIALIZATION);
      assertThat(catchThrowableOfType(KinesisException.class, () -> Validation.check(many)))
          .hasMessage(error(null, "records.1.member.data", NULL))
          .extracting(KinesisException::type)
          .isEqualTo(ErrorType.SERIALIZATION);
    }
  }

  @Test
  void whatIsRepeatedCanBeEncoded() throws Exception {
    // One of them is cut within a character.
    for (String first : List.of("", "a")) {
      Input input =
          read(Action.DELETE_STREAM, "{'StreamName':'%s%s'}".formatted(first, "😀".repeat(10_000)));

      KinesisException refusal =
          catchThrowableOfType(KinesisException.class, () -> Validation.check(input));

      assertThat(refusal).hasMessageContaining("...'");
      assertThat(Format.JSON.write(refusal.type(), refusal.getMessage()).hasRemaining()).isTrue();
      assertThat(Format.CBOR.write(refusal.type(), refusal.getMessage()).hasRemaining()).isTrue();
    }
  }

  private static Arguments row(Action action, String body, String... errors) {
    return Arguments.of(
        action,
        body,
        errors.length
            + (errors.length == 1
                ? " validation error detected: "
                : " validation errors detected: ")
            + String.join("; ", errors));
  }

  private static String error(String value, String path, String words) {
    return "Value "
        + (value == null ? "null" : "'" + value + "'")
        + (" at '" + path + "' failed to satisfy constraint: " + words);
  }

  private static String shortest(int length) {
    return "Member must have length greater than or equal to " + length;
  }

  private static String longest(int length) {
    return "Member must have length less than or equal to " + length;
  }

  private static String least(int value) {
    return "Member must have value greater than or equal to " + value;
  }

  private static String most(int value) {
    return "Member must have value less than or equal to " + value;
  }

  private static Input read(Action action, String body) throws MalformedBodyException {
    return Format.JSON.read(action, ByteBuffer.wrap(body.replace('\'', '"').getBytes(UTF_8)));
  }
}
