package dev.sluice.kinesis.call;

import dev.sluice.kinesis.call.CallMeters.Direction;
import dev.sluice.kinesis.log.ShardReader;
import dev.sluice.kinesis.log.ShardReader.Batch;
import dev.sluice.kinesis.log.ShardReader.StoredRecord;
import dev.sluice.kinesis.log.Streams;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.wire.Action;
import dev.sluice.kinesis.wire.Answer;
import dev.sluice.kinesis.wire.AnswerWriter;
import dev.sluice.kinesis.wire.Input;
import dev.sluice.kinesis.wire.StreamNames;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Reads records by iterators, which say all that is needed: no instance remembers one. */
final class ReadCalls {
  /** What a page may have however little memory there is. */
  private static final long MIN_PAGE = 64 << 10;

  /** As they were read, and as they are written. */
  private static final long COPIES = 3;

  private final Streams streams;
  private final ShardReader reader;
  private final Positions positions;
  private final Account account;
  private final StreamNames names;
  private final Tokens tokens;
  private final Executor work;

  private final AnswerMemory memory;

  /** Null if shards aren't limited. */
  private final ShardRates rates;

  private final CallMeters meters;

  ReadCalls(
      Streams streams,
      ShardReader reader,
      Positions positions,
      Account account,
      Tokens tokens,
      Executor work,
      AnswerMemory memory,
      ShardRates rates,
      CallMeters meters) {
    this.streams = streams;
    this.reader = reader;
    this.positions = positions;
    this.account = account;
    this.names = new StreamNames(account);
    this.tokens = tokens;
    this.work = work;
    this.memory = memory;
    this.rates = rates;
    this.meters = meters;
  }

  void addTo(Map<Action, Operation> operations) {
    operations.put(Action.GET_SHARD_ITERATOR, this::iterator);
    operations.put(Action.GET_RECORDS, this::records);
  }

  private CompletableFuture<Answer> iterator(Input input, Caller caller) {
    String name = names.stream(input);
    String shardId = input.text("ShardId");
    if (Shard.number(shardId) == Shard.NONE) {
      throw account.noShard(name, shardId);
    }
    return onShard(
        name,
        Shard.number(shardId),
        caller,
        stream -> {
          Shard shard = positions.shard(stream, shardId);
          long offset =
              positions.offset(
                  stream,
                  shard,
                  input.text("ShardIteratorType"),
                  input.text("StartingSequenceNumber"),
                  input.time("Timestamp"));
          String iterator = iterator(stream, shard, offset);
          return out -> out.text("ShardIterator", iterator);
        });
  }

  private String iterator(StreamState stream, Shard shard, long offset) {
    return tokens.issue(Tokens.Kind.ITERATOR, Token.iterator(stream, shard.number(), offset));
  }

  private CompletableFuture<Answer> records(Input input, Caller caller) {
    Token from = tokens.iterator(input.text("ShardIterator"));
    int limit = input.number("Limit", ShardReader.MAX_RECORDS);
    String arn = input.text("StreamARN");
    if (arn != null && !names.stream(arn).equals(from.stream())) {
      throw new KinesisException(ErrorType.INVALID_ARGUMENT, "Invalid ShardIterator.");
    }
    return onShard(
        from.stream(),
        from.shard(),
        caller,
        stream -> {
          if (stream.created() != from.created()) {
            throw account.shardGone(from.stream(), Shard.id(from.shard()));
          }
          Shard shard = positions.shard(stream, from.shard());
          return records(stream, shard, read(stream, shard, from.value(), limit, caller));
        });
  }

  /** Slow clients make pages shorter, and nothing else. */
  private Batch read(StreamState stream, Shard shard, long offset, int limit, Caller caller) {
    if (rates != null && !rates.mayRead(stream, shard)) {
      throw ShardRates.exceeded(account, stream, shard);
    }
    long granted = memory.take(MIN_PAGE * COPIES, (long) ShardReader.MAX_BYTES * COPIES);
    caller.holds(granted);
    Batch batch = reader.read(stream, shard, offset, limit, granted / COPIES);
    long bytes = batch.bytes();
    long needed = bytes * COPIES;
    memory.release(granted - needed);
    caller.holds(needed);
    if (rates != null) {
      rates.read(stream, shard, bytes);
    }
    meters.moved(Direction.OUT, stream.name(), batch.records().size(), bytes);
    return batch;
  }

  private Answer records(StreamState stream, Shard shard, Batch batch) {
    String next = batch.atEnd() ? null : iterator(stream, shard, batch.next());
    return out -> {
      records(out, stream, batch.records());
      out.text("NextShardIterator", next).number("MillisBehindLatest", batch.millisBehindLatest());
      if (batch.atEnd()) {
        Descriptions.children(out, stream.children(shard));
      }
    };
  }

  static void records(AnswerWriter out, StreamState stream, List<StoredRecord> records)
      throws IOException {
    out.array("Records");
    for (StoredRecord record : records) {
      out.object()
          .text("SequenceNumber", record.sequenceNumber().toString())
          .time("ApproximateArrivalTimestamp", record.timestamp())
          .blob("Data", record.data())
          .text("PartitionKey", record.partitionKey());
      if (stream.keyId() != null) {
        out.text("EncryptionType", Descriptions.encryption(stream));
      }
      out.end();
    }
    out.end();
  }

  /**
   * Answers on a thread that may be kept, with a stream that has the shard if there is one: another
   * instance may just have made it.
   */
  private CompletableFuture<Answer> onShard(
      String name, int number, Caller caller, Function<StreamState, Answer> answer) {
    return streams
        .serving(name)
        .thenCompose(
            stream ->
                stream.shard(number).isPresent()
                    ? CompletableFuture.completedFuture(stream)
                    : streams.newest(name))
        .exceptionallyCompose(
            failure -> CompletableFuture.failedFuture(gone(name, number, failure)))
        .thenApplyAsync(
            stream -> {
              caller.isFor(name);
              return answer.apply(stream);
            },
            work);
  }

  /** As AWS says of a shard whose stream isn't there. */
  private Throwable gone(String name, int number, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return cause instanceof KinesisException refusal
            && refusal.type() == ErrorType.RESOURCE_NOT_FOUND
        ? account.shardGone(name, Shard.id(number))
        : cause;
  }
}
