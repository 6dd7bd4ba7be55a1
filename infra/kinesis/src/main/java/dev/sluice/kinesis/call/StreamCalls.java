package dev.sluice.kinesis.call;

import dev.sluice.kinesis.log.Streams;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamChange;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.shard.StreamState.Mode;
import dev.sluice.kinesis.shard.StreamState.Status;
import dev.sluice.kinesis.wire.Action;
import dev.sluice.kinesis.wire.Answer;
import dev.sluice.kinesis.wire.AnswerWriter;
import dev.sluice.kinesis.wire.Input;
import dev.sluice.kinesis.wire.StreamNames;
import java.io.IOException;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** What is asked of streams as a whole. Thread-safe. */
final class StreamCalls {
  private static final int PAGE = 100;
  private static final int ON_DEMAND_STREAMS = 50;

  private final Streams streams;
  private final Account account;
  private final StreamNames names;
  private final Tokens tokens;
  private final Executor work;
  private final Clock clock;

  StreamCalls(Streams streams, Account account, Tokens tokens, Executor work, Clock clock) {
    this.streams = streams;
    this.account = account;
    this.names = new StreamNames(account);
    this.tokens = tokens;
    this.work = work;
    this.clock = clock;
  }

  void addTo(Map<Action, Operation> operations) {
    operations.put(Action.CREATE_STREAM, (input, caller) -> create(input));
    operations.put(Action.DELETE_STREAM, (input, caller) -> delete(input));
    operations.put(Action.DESCRIBE_STREAM, (input, caller) -> describe(input));
    operations.put(Action.DESCRIBE_STREAM_SUMMARY, (input, caller) -> summary(input));
    operations.put(Action.DESCRIBE_LIMITS, (input, caller) -> limits());
    operations.put(Action.LIST_STREAMS, (input, caller) -> list(input));
    operations.put(
        Action.INCREASE_STREAM_RETENTION_PERIOD,
        (input, caller) ->
            change(
                names.stream(input),
                stream -> StreamChange.increaseRetention(account, stream, hours(input))));
    operations.put(
        Action.DECREASE_STREAM_RETENTION_PERIOD,
        (input, caller) ->
            change(
                names.stream(input),
                stream -> StreamChange.decreaseRetention(account, stream, hours(input))));
    operations.put(
        Action.UPDATE_STREAM_MODE,
        (input, caller) ->
            change(
                names.stream(input.text("StreamARN")),
                stream -> StreamChange.mode(account, stream, mode(input))));
    operations.put(Action.UPDATE_MAX_RECORD_SIZE, (input, caller) -> maxRecordSize(input));
    operations.put(
        Action.START_STREAM_ENCRYPTION, (input, caller) -> encryption(input, input.text("KeyId")));
    operations.put(
        Action.STOP_STREAM_ENCRYPTION, (input, caller) -> encryption(input, /* keyId= */ null));
    operations.put(
        Action.ENABLE_ENHANCED_MONITORING,
        (input, caller) ->
            monitoring(
                input,
                stream ->
                    StreamChange.enableMonitoring(
                        account, stream, input.texts("ShardLevelMetrics"))));
    operations.put(
        Action.DISABLE_ENHANCED_MONITORING,
        (input, caller) ->
            monitoring(
                input,
                stream ->
                    StreamChange.disableMonitoring(
                        account, stream, input.texts("ShardLevelMetrics"))));
  }

  private static int hours(Input input) {
    return input.number("RetentionPeriodHours", 0);
  }

  private static Mode mode(Input input) {
    Input details = input.structure("StreamModeDetails");
    return details == null ? Mode.PROVISIONED : Mode.valueOf(details.text("StreamMode"));
  }

  private CompletableFuture<Answer> change(String name, UnaryOperator<StreamState> decision) {
    return streams.change(name, decision).thenApply(stream -> Answer.NOTHING);
  }

  private CompletableFuture<Answer> create(Input input) {
    Mode mode = mode(input);
    if (mode == Mode.PROVISIONED && !input.has("ShardCount")) {
      throw new KinesisException(
          ErrorType.VALIDATION,
          "1 validation error detected: Value null at 'shardCount' failed to satisfy constraint: Member must not be null");
    }
    int shards =
        mode == Mode.PROVISIONED ? input.number("ShardCount", 0) : StreamChange.ON_DEMAND_SHARDS;
    Map<String, String> tags = input.map("Tags");
    String name = input.text("StreamName");
    TagCalls.check(account, name, tags);
    return streams
        .newest()
        .thenComposeAsync(
            all -> {
              ShardLimit.check(account, all, shards);
              return streams.create(
                  name,
                  mode,
                  shards,
                  input.number("MaxRecordSizeInKiB", StreamState.DEFAULT_MAX_RECORD_KIB),
                  tags);
            },
            work)
        .thenApply(stream -> Answer.NOTHING);
  }

  private CompletableFuture<Answer> delete(Input input) {
    return change(
        names.stream(input),
        stream -> StreamChange.delete(account, stream, input.flag("EnforceConsumerDeletion")));
  }

  private CompletableFuture<Answer> maxRecordSize(Input input) {
    String arn = input.text("StreamARN");
    if (arn == null) {
      throw new KinesisException(ErrorType.INVALID_ARGUMENT, "StreamARN must be provided.");
    }
    int kib = input.number("MaxRecordSizeInKiB", StreamState.DEFAULT_MAX_RECORD_KIB);
    return change(names.stream(arn), stream -> StreamChange.maxRecordSize(account, stream, kib));
  }

  private CompletableFuture<Answer> encryption(Input input, String keyId) {
    if (!input.text("EncryptionType").equals("KMS")) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT, "EncryptionType must be KMS to start or stop encryption.");
    }
    return change(names.stream(input), stream -> StreamChange.encryption(account, stream, keyId));
  }

  private CompletableFuture<Answer> monitoring(Input input, UnaryOperator<StreamState> decision) {
    AtomicReference<List<String>> before = new AtomicReference<>(List.of());
    return streams
        .change(
            names.stream(input),
            stream -> {
              before.set(stream.metrics());
              return decision.apply(stream);
            })
        .thenApply(
            stream ->
                out -> {
                  out.text("StreamName", stream.name())
                      .text("StreamARN", account.streamArn(stream.name()));
                  Descriptions.texts(out, "CurrentShardLevelMetrics", before.get());
                  Descriptions.texts(out, "DesiredShardLevelMetrics", stream.metrics());
                });
  }

  private CompletableFuture<Answer> describe(Input input) {
    int limit = input.number("Limit", PAGE);
    String after = input.text("ExclusiveStartShardId");
    String name = names.stream(input);
    return streams
        .newest(name)
        .thenApplyAsync(
            stream -> {
              int last = Shard.NONE;
              if (after != null) {
                last = Shard.number(after);
                if (last == Shard.NONE) {
                  throw account.noShard(name, after);
                }
              }
              int beyond = last;
              List<Shard> shown =
                  Descriptions.shown(stream, clock.millis()).stream()
                      .filter(shard -> shard.number() > beyond)
                      .toList();
              List<Shard> page = shown.subList(0, Math.min(limit, shown.size()));
              return out -> {
                out.object("StreamDescription");
                describe(out, stream);
                Descriptions.shards(out, page);
                out.flag("HasMoreShards", page.size() < shown.size()).end();
              };
            },
            work);
  }

  private CompletableFuture<Answer> summary(Input input) {
    return streams
        .newest(names.stream(input))
        .thenApplyAsync(
            stream ->
                out -> {
                  out.object("StreamDescriptionSummary");
                  describe(out, stream);
                  out.number(
                          "OpenShardCount",
                          stream.status() == Status.CREATING ? 0 : stream.open().size())
                      .number("ConsumerCount", stream.consumers().size())
                      .number("MaxRecordSizeInKiB", stream.maxRecordKiB())
                      .end();
                },
            work);
  }

  /** What descriptions have in common. */
  private void describe(AnswerWriter out, StreamState stream) throws IOException {
    summary(out, stream);
    out.number("RetentionPeriodHours", stream.retentionHours())
        .text("EncryptionType", Descriptions.encryption(stream))
        .text("KeyId", stream.keyId())
        .array("EnhancedMonitoring")
        .object();
    Descriptions.texts(out, "ShardLevelMetrics", stream.metrics());
    out.end().end();
  }

  private void summary(AnswerWriter out, StreamState stream) throws IOException {
    out.text("StreamName", stream.name())
        .text("StreamARN", account.streamArn(stream.name()))
        .text("StreamStatus", stream.status().name())
        .time("StreamCreationTimestamp", stream.created());
    Descriptions.mode(out, stream);
  }

  private CompletableFuture<Answer> limits() {
    return streams
        .newest()
        .thenApplyAsync(
            all -> {
              long onDemand =
                  all.stream().filter(stream -> stream.mode() == Mode.ON_DEMAND).count();
              return out ->
                  out.number("ShardLimit", ShardLimit.SHARDS)
                      .number("OpenShardCount", ShardLimit.open(all))
                      .number("OnDemandStreamCount", onDemand)
                      .number("OnDemandStreamCountLimit", ON_DEMAND_STREAMS);
            },
            work);
  }

  private CompletableFuture<Answer> list(Input input) {
    int limit = input.number("Limit", PAGE);
    String token = input.text("NextToken");
    String after =
        token == null
            ? input.text("ExclusiveStartStreamName")
            : tokens.next(Tokens.Kind.STREAMS, token).stream();
    return streams.newest().thenApplyAsync(all -> list(all, after, limit), work);
  }

  private Answer list(Collection<StreamState> all, String after, int limit) {
    List<StreamState> rest =
        all.stream().filter(stream -> after == null || stream.name().compareTo(after) > 0).toList();
    List<StreamState> page = rest.subList(0, Math.min(limit, rest.size()));
    boolean more = page.size() < rest.size();
    String next =
        more
            ? tokens.issue(
                Tokens.Kind.STREAMS, new Token(page.get(page.size() - 1).name(), 0, 0, 0, ""))
            : null;
    return out -> {
      Descriptions.texts(out, "StreamNames", page.stream().map(StreamState::name).toList());
      out.flag("HasMoreStreams", more).text("NextToken", next).array("StreamSummaries");
      for (StreamState stream : page) {
        out.object();
        summary(out, stream);
        out.end();
      }
      out.end();
    };
  }
}
