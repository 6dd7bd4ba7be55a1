package dev.sluice.kinesis.wire;

import static dev.sluice.kinesis.wire.Constraint.least;
import static dev.sluice.kinesis.wire.Constraint.longest;
import static dev.sluice.kinesis.wire.Constraint.most;
import static dev.sluice.kinesis.wire.Constraint.oneOf;
import static dev.sluice.kinesis.wire.Constraint.pattern;
import static dev.sluice.kinesis.wire.Constraint.shortest;
import static dev.sluice.kinesis.wire.Shape.Field.integral;
import static dev.sluice.kinesis.wire.Shape.Field.optional;
import static dev.sluice.kinesis.wire.Shape.Field.required;
import static dev.sluice.kinesis.wire.Shape.Type.BLOB;
import static dev.sluice.kinesis.wire.Shape.Type.BOOLEAN;
import static dev.sluice.kinesis.wire.Shape.Type.STRING;
import static dev.sluice.kinesis.wire.Shape.Type.TIMESTAMP;
import static dev.sluice.kinesis.wire.Shape.list;
import static dev.sluice.kinesis.wire.Shape.map;
import static dev.sluice.kinesis.wire.Shape.scalar;
import static dev.sluice.kinesis.wire.Shape.structure;

import dev.sluice.kinesis.wire.Shape.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What can be asked for, and what each takes: the service model of 2013-12-02 as data. */
public enum Action {
  ADD_TAGS_TO_STREAM(required("Tags", Shapes.TAGS), Shapes.STREAM_NAME, Shapes.STREAM_ARN),
  CREATE_STREAM(
      optional("ShardCount", Shapes.POSITIVE),
      required("StreamName", Shapes.NAME),
      optional("StreamModeDetails", Shapes.MODE),
      optional("Tags", Shapes.TAGS),
      optional("WarmThroughputMiBps", Shapes.NATURAL),
      optional("MaxRecordSizeInKiB", Shapes.MAX_RECORD_SIZE)),
  DECREASE_STREAM_RETENTION_PERIOD(
      required("RetentionPeriodHours", Shapes.HOURS), Shapes.STREAM_NAME, Shapes.STREAM_ARN),
  DELETE_STREAM(
      Shapes.STREAM_NAME, optional("EnforceConsumerDeletion", scalar(BOOLEAN)), Shapes.STREAM_ARN),
  DEREGISTER_STREAM_CONSUMER(
      Shapes.STREAM_ARN,
      optional("ConsumerName", Shapes.NAME),
      optional("ConsumerARN", Shapes.CONSUMER_ARN)),
  DESCRIBE_LIMITS,
  DESCRIBE_STREAM(
      optional("Limit", Shapes.PAGE),
      optional("ExclusiveStartShardId", Shapes.NAME),
      Shapes.STREAM_NAME,
      Shapes.STREAM_ARN),
  DESCRIBE_STREAM_CONSUMER(
      Shapes.STREAM_ARN,
      optional("ConsumerName", Shapes.NAME),
      optional("ConsumerARN", Shapes.CONSUMER_ARN)),
  DESCRIBE_STREAM_SUMMARY(Shapes.STREAM_NAME, Shapes.STREAM_ARN),
  DISABLE_ENHANCED_MONITORING(
      required("ShardLevelMetrics", Shapes.METRICS), Shapes.STREAM_NAME, Shapes.STREAM_ARN),
  ENABLE_ENHANCED_MONITORING(
      required("ShardLevelMetrics", Shapes.METRICS), Shapes.STREAM_NAME, Shapes.STREAM_ARN),
  GET_RECORDS(
      optional("Limit", Shapes.PAGE),
      required("ShardIterator", scalar(STRING, shortest(1), longest(512))),
      Shapes.STREAM_ARN),
  GET_SHARD_ITERATOR(
      required("ShardId", Shapes.NAME),
      required("ShardIteratorType", Shapes.ITERATOR_TYPE),
      optional("StartingSequenceNumber", Shapes.SEQUENCE_NUMBER),
      optional("Timestamp", Shapes.TIME),
      Shapes.STREAM_NAME,
      Shapes.STREAM_ARN),
  INCREASE_STREAM_RETENTION_PERIOD(
      required("RetentionPeriodHours", Shapes.HOURS), Shapes.STREAM_NAME, Shapes.STREAM_ARN),
  LIST_SHARDS(
      optional("ExclusiveStartShardId", Shapes.NAME),
      optional("MaxResults", Shapes.PAGE),
      optional("NextToken", Shapes.TOKEN),
      optional(
          "ShardFilter",
          structure(
              "ShardFilter",
              required(
                  "Type",
                  scalar(
                      STRING,
                      oneOf(
                          List.of(
                              "AFTER_SHARD_ID",
                              "AT_TRIM_HORIZON",
                              "FROM_TRIM_HORIZON",
                              "AT_LATEST",
                              "AT_TIMESTAMP",
                              "FROM_TIMESTAMP")))),
              optional("ShardId", Shapes.NAME),
              optional("Timestamp", Shapes.TIME))),
      optional("StreamCreationTimestamp", Shapes.TIME),
      Shapes.STREAM_NAME,
      Shapes.STREAM_ARN),
  LIST_STREAM_CONSUMERS(
      required("StreamARN", Shapes.ARN),
      optional("MaxResults", Shapes.PAGE),
      optional("NextToken", Shapes.TOKEN),
      optional("StreamCreationTimestamp", Shapes.TIME)),
  LIST_STREAMS(
      optional("Limit", Shapes.PAGE),
      optional("ExclusiveStartStreamName", Shapes.NAME),
      optional("NextToken", Shapes.TOKEN)),
  LIST_TAGS_FOR_RESOURCE(required("ResourceARN", Shapes.RESOURCE_ARN)),
  LIST_TAGS_FOR_STREAM(
      optional("Limit", scalar(Shape.Type.INTEGER, least(1), most(50))),
      optional("ExclusiveStartTagKey", Shapes.TAG_KEY),
      Shapes.STREAM_NAME,
      Shapes.STREAM_ARN),
  MERGE_SHARDS(
      required("ShardToMerge", Shapes.NAME),
      required("AdjacentShardToMerge", Shapes.NAME),
      Shapes.STREAM_NAME,
      Shapes.STREAM_ARN),
  PUT_RECORD(
      optional("SequenceNumberForOrdering", Shapes.SEQUENCE_NUMBER),
      Shapes.PARTITION_KEY,
      Shapes.EXPLICIT_HASH_KEY,
      Shapes.DATA,
      Shapes.STREAM_NAME,
      Shapes.STREAM_ARN),
  PUT_RECORDS(
      required(
          "Records",
          list(
              structure(
                  "PutRecordsRequestEntry",
                  Shapes.PARTITION_KEY,
                  Shapes.EXPLICIT_HASH_KEY,
                  Shapes.DATA),
              shortest(1),
              longest(500))),
      Shapes.STREAM_NAME,
      Shapes.STREAM_ARN),
  REGISTER_STREAM_CONSUMER(
      required("StreamARN", Shapes.ARN),
      required("ConsumerName", Shapes.NAME),
      optional("Tags", Shapes.TAGS)),
  REMOVE_TAGS_FROM_STREAM(
      required("TagKeys", Shapes.TAG_KEYS), Shapes.STREAM_NAME, Shapes.STREAM_ARN),
  SPLIT_SHARD(
      required("NewStartingHashKey", Shapes.HASH_KEY),
      Shapes.STREAM_NAME,
      required("ShardToSplit", Shapes.NAME),
      Shapes.STREAM_ARN),
  START_STREAM_ENCRYPTION(
      required("EncryptionType", Shapes.ENCRYPTION),
      required("KeyId", Shapes.KEY_ID),
      Shapes.STREAM_NAME,
      Shapes.STREAM_ARN),
  STOP_STREAM_ENCRYPTION(
      required("EncryptionType", Shapes.ENCRYPTION),
      required("KeyId", Shapes.KEY_ID),
      Shapes.STREAM_NAME,
      Shapes.STREAM_ARN),
  SUBSCRIBE_TO_SHARD(
      required("ConsumerARN", Shapes.CONSUMER_ARN),
      required("ShardId", Shapes.NAME),
      required(
          "StartingPosition",
          structure(
              "StartingPosition",
              required("Type", Shapes.ITERATOR_TYPE),
              optional("SequenceNumber", Shapes.SEQUENCE_NUMBER),
              optional("Timestamp", Shapes.TIME)))),
  TAG_RESOURCE(required("Tags", Shapes.TAGS), required("ResourceARN", Shapes.RESOURCE_ARN)),
  UNTAG_RESOURCE(
      required("TagKeys", Shapes.TAG_KEYS), required("ResourceARN", Shapes.RESOURCE_ARN)),
  UPDATE_MAX_RECORD_SIZE(
      optional("StreamARN", Shapes.ARN), required("MaxRecordSizeInKiB", Shapes.MAX_RECORD_SIZE)),
  UPDATE_SHARD_COUNT(
      required("ScalingType", scalar(STRING, oneOf(List.of("UNIFORM_SCALING")))),
      Shapes.STREAM_NAME,
      required("TargetShardCount", Shapes.POSITIVE),
      Shapes.STREAM_ARN),
  UPDATE_STREAM_MODE(
      required("StreamARN", Shapes.ARN),
      required("StreamModeDetails", Shapes.MODE),
      optional("WarmThroughputMiBps", Shapes.NATURAL));

  private static final Map<String, Action> BY_TITLE =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(Action::title, Function.identity()));

  private final String title;

  /** Immutable, as all its parts. */
  @SuppressWarnings("ImmutableEnumChecker")
  private final Shape input;

  Action(Field... fields) {
    this.title =
        Arrays.stream(name().split("_"))
            .map(word -> word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT))
            .collect(Collectors.joining());
    this.input = structure(title + "Input", fields);
  }

  /** The action so titled; null if there is none. */
  public static Action titled(String title) {
    return BY_TITLE.get(title);
  }

  /** As requests name it, like {@code PutRecords}. */
  public String title() {
    return title;
  }

  Shape input() {
    return input;
  }

  /** Shapes that several actions share. */
  private static final class Shapes {
    static final Shape HOURS = scalar(Shape.Type.INTEGER);
    static final Shape POSITIVE = scalar(Shape.Type.INTEGER, least(1));
    static final Shape NATURAL = scalar(Shape.Type.INTEGER, least(0));
    static final Shape PAGE = scalar(Shape.Type.INTEGER, least(1), most(10_000));
    static final Shape MAX_RECORD_SIZE = scalar(Shape.Type.INTEGER, least(1024), most(10_240));
    static final Shape TIME = scalar(TIMESTAMP);
    static final Shape TOKEN = scalar(STRING, shortest(1), longest(1_048_576));
    static final Shape KEY_ID = scalar(STRING, shortest(1), longest(2048));
    static final Shape NAME =
        scalar(STRING, pattern("[a-zA-Z0-9_.-]+", Names::isName), shortest(1), longest(128));
    static final Shape ARN =
        scalar(
            STRING,
            pattern("arn:aws.*:kinesis:.*:\\d{12}:stream/\\S+", Names::isStreamArn),
            shortest(1),
            longest(2048));
    static final Shape RESOURCE_ARN =
        scalar(
            STRING,
            pattern("arn:aws.*:kinesis:.*:\\d{12}:.*stream/\\S+", Names::isStreamArn),
            shortest(1),
            longest(2048));
    static final Shape CONSUMER_ARN =
        scalar(
            STRING,
            pattern(
                "^(arn):aws.*:kinesis:.*:\\d{12}:.*stream\\/[a-zA-Z0-9_.-]+\\/consumer\\/"
                    + "[a-zA-Z0-9_.-]+:[0-9]+",
                Names::isConsumerArn),
            shortest(1),
            longest(2048));
    static final Shape HASH_KEY =
        scalar(STRING, pattern("0|([1-9]\\d{0,38})", text -> Names.isNumber(text, 39)));
    static final Shape SEQUENCE_NUMBER =
        scalar(STRING, pattern("0|([1-9]\\d{0,128})", text -> Names.isNumber(text, 129)));
    static final Shape TAG_KEY = scalar(STRING, shortest(1), longest(128));
    static final Shape TAG_KEYS = list(TAG_KEY, shortest(1), longest(50));
    static final Shape TAGS =
        map(TAG_KEY, scalar(STRING, shortest(0), longest(256)), shortest(1), longest(200));
    static final Shape ENCRYPTION = scalar(STRING, oneOf(List.of("NONE", "KMS")));
    static final Shape MODE =
        structure(
            "StreamModeDetails",
            required("StreamMode", scalar(STRING, oneOf(List.of("PROVISIONED", "ON_DEMAND")))));
    static final Shape ITERATOR_TYPE =
        scalar(
            STRING,
            oneOf(
                List.of(
                    "AFTER_SEQUENCE_NUMBER",
                    "LATEST",
                    "AT_TIMESTAMP",
                    "AT_SEQUENCE_NUMBER",
                    "TRIM_HORIZON")));
    static final Shape METRICS =
        list(
            scalar(
                STRING,
                oneOf(
                    List.of(
                        "IncomingBytes",
                        "IncomingRecords",
                        "OutgoingBytes",
                        "OutgoingRecords",
                        "WriteProvisionedThroughputExceeded",
                        "ReadProvisionedThroughputExceeded",
                        "IteratorAgeMilliseconds",
                        "ALL"))),
            shortest(1),
            longest(7));

    static final Field STREAM_NAME = optional("StreamName", NAME);
    static final Field STREAM_ARN = optional("StreamARN", ARN);
    static final Field PARTITION_KEY =
        required("PartitionKey", scalar(STRING, shortest(1), longest(256)));
    static final Field EXPLICIT_HASH_KEY = optional("ExplicitHashKey", HASH_KEY);
    static final Field DATA = integral("Data", scalar(BLOB, longest(10_485_760)));
  }
}
