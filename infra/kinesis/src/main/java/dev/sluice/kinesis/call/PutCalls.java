package dev.sluice.kinesis.call;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.kinesis.call.CallMeters.Direction;
import dev.sluice.kinesis.log.EntryWriter;
import dev.sluice.kinesis.log.ShardWriter.Entry;
import dev.sluice.kinesis.log.ShardWriter.Put;
import dev.sluice.kinesis.log.Streams;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.HashKey;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.Ring;
import dev.sluice.kinesis.shard.SequenceNumber;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.wire.Action;
import dev.sluice.kinesis.wire.Answer;
import dev.sluice.kinesis.wire.AnswerWriter;
import dev.sluice.kinesis.wire.Input;
import dev.sluice.kinesis.wire.StreamNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
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

  /** Null if shards aren't limited. */
  private final ShardRates rates;

  private final CallMeters meters;

  PutCalls(
      Streams streams,
      EntryWriter writer,
      Account account,
      Executor work,
      ShardRates rates,
      CallMeters meters) {
    this.streams = streams;
    this.writer = writer;
    this.account = account;
    this.names = new StreamNames(account);
    this.work = work;
    this.rates = rates;
    this.meters = meters;
  }

  void addTo(Map<Action, Operation> operations) {
    operations.put(Action.PUT_RECORD, this::putRecord);
    operations.put(Action.PUT_RECORDS, this::putRecords);
  }

  private CompletableFuture<Answer> putRecord(Input input, Caller caller) {
    String name = names.stream(input);
    checkOrdering(name, input.text("SequenceNumberForOrdering"));
    Entry entry = entry(input);
    return onServing(
        name,
        caller,
        stream -> {
          checkSize(stream, entry, "data");
          return put(stream, List.of(entry))
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

  private CompletableFuture<Answer> putRecords(Input input, Caller caller) {
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
        caller,
        stream -> {
          for (int i = 0; i < entries.size(); i++) {
            checkSize(stream, entries.get(i), "records." + (i + 1) + ".member.data");
          }
          return put(stream, entries).thenApply(puts -> answer(stream, puts));
        });
  }

  private CompletableFuture<List<Put>> put(StreamState stream, List<Entry> entries) {
    CompletableFuture<List<Put>> puts =
        rates == null || stream.isOfOthers()
            ? writer.put(stream, entries)
            : putWithinRates(stream, entries);
    return puts.thenApply(
        all -> {
          count(stream, entries, all);
          return all;
        });
  }

  /** Those that their shards have no room for fail; the others go on. */
  private CompletableFuture<List<Put>> putWithinRates(StreamState stream, List<Entry> entries) {
    Ring ring = Ring.of(stream);
    List<Entry> within = new ArrayList<>(entries.size());
    List<Put> refused = new ArrayList<>(entries.size());
    for (Entry entry : entries) {
      Shard shard = ring.shard(ring.place(entry.hashKey()));
      if (rates.mayPut(stream, shard, size(entry))) {
        within.add(entry);
        refused.add(null);
      } else {
        refused.add(new Put(null, null, ShardRates.exceeded(account, stream, shard)));
      }
    }
    if (within.isEmpty()) {
      return CompletableFuture.completedFuture(refused);
    }
    return writer
        .put(stream, within)
        .thenApply(
            puts -> {
              Iterator<Put> next = puts.iterator();
              refused.replaceAll(put -> put == null ? next.next() : put);
              return refused;
            });
  }

  private void count(StreamState stream, List<Entry> entries, List<Put> puts) {
    long records = 0;
    long bytes = 0;
    for (int i = 0; i < entries.size(); i++) {
      if (puts.get(i).failure() == null) {
        records++;
        bytes += entries.get(i).data().length;
      }
    }
    meters.moved(Direction.IN, stream.name(), records, bytes);
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
      String name, Caller caller, Function<StreamState, CompletableFuture<Answer>> put) {
    CompletableFuture<StreamState> serving = streams.serving(name);
    Function<StreamState, CompletableFuture<Answer>> then =
        stream -> {
          caller.isFor(name);
          return put.apply(stream);
        };
    return serving.isDone() ? serving.thenCompose(then) : serving.thenComposeAsync(then, work);
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
