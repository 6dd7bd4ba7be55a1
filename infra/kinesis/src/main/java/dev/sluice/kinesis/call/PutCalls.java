package dev.sluice.kinesis.call;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.kinesis.log.EntryWriter;
import dev.sluice.kinesis.log.ShardWriter.Entry;
import dev.sluice.kinesis.log.ShardWriter.Put;
import dev.sluice.kinesis.log.Streams;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.HashKey;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.SequenceNumber;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.wire.Action;
import dev.sluice.kinesis.wire.Answer;
import dev.sluice.kinesis.wire.AnswerWriter;
import dev.sluice.kinesis.wire.Input;
import dev.sluice.kinesis.wire.StreamNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Puts records. Thread-safe. */
final class PutCalls {
  /** Data and partition keys of a request at most. */
  private static final int MAX_REQUEST_BYTES = 10 << 20;

  private final Streams streams;
  private final EntryWriter writer;
  private final Account account;
  private final StreamNames names;
  private final Executor work;

  PutCalls(Streams streams, EntryWriter writer, Account account, Executor work) {
    this.streams = streams;
    this.writer = writer;
    this.account = account;
    this.names = new StreamNames(account);
    this.work = work;
  }

  void addTo(Map<Action, Operation> operations) {
    operations.put(Action.PUT_RECORD, (input, caller) -> putRecord(input));
    operations.put(Action.PUT_RECORDS, (input, caller) -> putRecords(input));
  }

  private CompletableFuture<Answer> putRecord(Input input) {
    String name = names.stream(input);
    checkOrdering(name, input.text("SequenceNumberForOrdering"));
    Entry entry = entry(input);
    return onServing(
        name,
        stream -> {
          checkSize(stream, entry, "data");
          return writer
              .put(stream, List.of(entry))
              .thenApply(
                  puts -> {
                    Put put = puts.get(0);
                    if (put.failure() != null) {
                      throw put.failure();
                    }
                    return out -> {
                      stored(out, put);
                      encryption(out, stream);
                    };
                  });
        });
  }

  /** Later records of a client have higher numbers by themselves. */
  private void checkOrdering(String stream, String sequenceNumber) {
    if (sequenceNumber == null) {
      return;
    }
    try {
      var unused = SequenceNumber.parse(sequenceNumber);
    } catch (IllegalArgumentException e) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "ExclusiveMinimumSequenceNumber %s used in PutRecord on stream %s under account %s is invalid."
              .formatted(sequenceNumber, stream, account.id()));
    }
  }

  private CompletableFuture<Answer> putRecords(Input input) {
    List<Input> records = input.structures("Records");
    List<Entry> entries = new ArrayList<>(records.size());
    long bytes = 0;
    for (Input record : records) {
      Entry entry = entry(record);
      bytes += size(entry);
      entries.add(entry);
    }
    if (bytes > MAX_REQUEST_BYTES) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Records size exceeds %d MB limit".formatted(MAX_REQUEST_BYTES >> 20));
    }
    return onServing(
        names.stream(input),
        stream -> {
          for (int i = 0; i < entries.size(); i++) {
            checkSize(stream, entries.get(i), "records." + (i + 1) + ".member.data");
          }
          return writer.put(stream, entries).thenApply(puts -> answer(stream, puts));
        });
  }

  private static Answer answer(StreamState stream, List<Put> puts) {
    return out -> {
      out.number("FailedRecordCount", puts.stream().filter(put -> put.failure() != null).count())
          .array("Records");
      for (Put put : puts) {
        out.object();
        if (put.failure() == null) {
          stored(out, put);
        } else {
          out.text("ErrorCode", put.failure().type().text())
              .text("ErrorMessage", put.failure().getMessage());
        }
        out.end();
      }
      out.end();
      encryption(out, stream);
    };
  }

  private static void stored(AnswerWriter out, Put put) throws IOException {
    out.text("ShardId", put.shard().id()).text("SequenceNumber", put.sequenceNumber().toString());
  }

  private static void encryption(AnswerWriter out, StreamState stream) throws IOException {
    if (stream.keyId() != null) {
      out.text("EncryptionType", Descriptions.encryption(stream));
    }
  }

  /** Goes on with a stream: here if it is known, else on a thread that may be kept. */
  private CompletableFuture<Answer> onServing(
      String name, Function<StreamState, CompletableFuture<Answer>> put) {
    CompletableFuture<StreamState> stream = streams.serving(name);
    return stream.isDone() ? stream.thenCompose(put) : stream.thenComposeAsync(put, work);
  }

  private static Entry entry(Input record) {
    String key = record.text("ExplicitHashKey");
    return new Entry(
        record.text("PartitionKey"), key == null ? null : hashKey(key), record.blob("Data"));
  }

  private static HashKey hashKey(String decimal) {
    try {
      return HashKey.parse(decimal);
    } catch (IllegalArgumentException e) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Invalid ExplicitHashKey. ExplicitHashKey must be in the range: [0, 2^128-1]. Specified value was "
              + decimal);
    }
  }

  private static int size(Entry entry) {
    return entry.data().length + entry.partitionKey().getBytes(UTF_8).length;
  }

  private static void checkSize(StreamState stream, Entry entry, String path) {
    int limit = stream.maxRecordKiB() * 1_024;
    int size = size(entry);
    int length = entry.data().length;
    if (size > limit) {
      throw new KinesisException(
          ErrorType.VALIDATION,
          "1 validation error detected: Value 'java.nio.HeapByteBuffer[pos=0 lim=%1$d cap=%1$d]' at '%2$s' failed to satisfy constraint: Member must have length less than or equal to %3$d"
              .formatted(length, path, length > limit ? limit : limit - (size - length)));
    }
  }
}
