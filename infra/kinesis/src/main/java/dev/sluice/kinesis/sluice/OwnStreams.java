package dev.sluice.kinesis.sluice;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.Topics;
import dev.sluice.identity.Sessions;
import dev.sluice.kinesis.log.EntryWriter;
import dev.sluice.kinesis.log.ShardWriter.Entry;
import dev.sluice.kinesis.log.ShardWriter.Put;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.SequenceNumber;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.sluice.AggregatedRecord.UserRecord;
import dev.sluice.log.CommandLog;
import dev.sluice.log.DeadLetter;
import dev.sluice.log.LogUnavailableException;
import dev.sluice.log.RecordWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts records into Sluice's own topics, each into the partition of the room that it names, and
 * leaves those of other streams to another writer. What isn't as its topic wants it is refused by
 * itself. Thread-safe.
 */
public final class OwnStreams implements EntryWriter, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OwnStreams.class);

  private static final CommandLog.Limits LIMITS =
      new CommandLog.Limits(Duration.ofSeconds(8), Duration.ofMillis(1), 200_000);

  /** When the rest of a call isn't sent any more, since the buffer is full or Kafka is away. */
  private static final Duration SEND_WITHIN = Duration.ofSeconds(2);

  /** What looks like a session's token, also a forged one. */
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_-]{24}\\.[A-Za-z0-9_-]{43}");

  private final EntryWriter others;
  private final Topics topics;
  private final RecordWriter writer;

  /** By topic. */
  private final Map<String, Taking> takings;

  /** What a topic makes of what a client puts. */
  private interface Taking {
    Intake.Taken take(byte[] data) throws InvalidRecordException;
  }

  private record Refused(UserRecord record, String why) {}

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param prefix of Sluice's topics
   * @param others writes to all other streams
   */
  public OwnStreams(
      Map<String, Object> kafka, String prefix, Sessions sessions, EntryWriter others) {
    this.others = others;
    this.topics = topicsOf(prefix);
    this.writer = new RecordWriter(kafka, "sluice-kinesis-own", LIMITS);
    Intake intake = new Intake(sessions);
    this.takings =
        Map.of(
            topics.entries(), intake::command,
            topics.roomEvents(), intake::event,
            topics.joins(), intake::membership);
  }

  /** The topics that are streams, by the streams' names. */
  public static Map<String, String> topics(String prefix) {
    Topics topics = topicsOf(prefix);
    return Map.of(
        "entries", topics.entries(),
        "room-events", topics.roomEvents(),
        "joins", topics.joins(),
        "outcomes", topics.outcomes(),
        "hot-rooms", topics.hotRooms());
  }

  /** For their names: how many partitions they have is Kafka's to say. */
  private static Topics topicsOf(String prefix) {
    return new Topics(prefix, Topics.DEFAULT_PARTITIONS);
  }

  @Override
  public CompletableFuture<List<Put>> put(StreamState stream, List<Entry> entries) {
    Taking taking = stream.isOfOthers() ? takings.get(stream.topic()) : null;
    if (taking == null) {
      return others.put(stream, entries);
    }
    Call call = new Call(stream, taking);
    List<CompletableFuture<Put>> puts = entries.stream().map(call::put).toList();
    // Off the producer's own thread.
    return CompletableFuture.allOf(puts.toArray(CompletableFuture<?>[]::new))
        .thenApplyAsync(done -> puts.stream().map(CompletableFuture::join).toList());
  }

  /** The records of one call, which are sent in their order. */
  private final class Call {
    private final StreamState stream;
    private final Taking taking;
    private final long giveUp = System.nanoTime() + SEND_WITHIN.toNanos();

    Call(StreamState stream, Taking taking) {
      this.stream = stream;
      this.taking = taking;
    }

    /** Never fails. */
    CompletableFuture<Put> put(Entry entry) {
      try {
        if (!AggregatedRecord.begins(entry.data())) {
          Intake.Taken taken = taking.take(entry.data());
          return answer(entry, List.of(taken), List.of());
        }
        return putAll(entry, AggregatedRecord.read(entry.data()));
      } catch (InvalidRecordException e) {
        return CompletableFuture.completedFuture(refused(e.getMessage()));
      }
    }

    /**
     * Whoever packed records together puts them together again while one fails. So the good ones
     * are stored for good, and the others kept where people look for them.
     */
    private CompletableFuture<Put> putAll(Entry entry, List<UserRecord> records) {
      List<Intake.Taken> good = new ArrayList<>();
      List<Refused> bad = new ArrayList<>();
      for (UserRecord record : records) {
        try {
          good.add(taking.take(record.data()));
        } catch (InvalidRecordException e) {
          bad.add(new Refused(record, e.getMessage()));
        }
      }
      return good.isEmpty()
          ? CompletableFuture.completedFuture(
              refused(
                  "none of the %d records in the aggregated one can be used; of the first: %s"
                      .formatted(bad.size(), bad.get(0).why)))
          : answer(entry, good, bad);
    }

    private CompletableFuture<Put> answer(Entry entry, List<Intake.Taken> good, List<Refused> bad) {
      List<CompletableFuture<RecordMetadata>> stored = new ArrayList<>();
      List<CompletableFuture<RecordMetadata>> beside = new ArrayList<>();
      for (Intake.Taken taken : good) {
        stored.add(write(stream.topic(), taken.roomId(), taken.value()));
        if (taken.counts() != null) {
          beside.add(write(topics.roomEvents(), taken.roomId(), taken.counts()));
        }
      }
      bad.forEach(refused -> beside.add(bury(refused)));
      CompletableFuture<RecordMetadata> last = stored.get(stored.size() - 1);
      beside.addAll(stored);
      return CompletableFuture.allOf(beside.toArray(CompletableFuture<?>[]::new))
          .handle(
              (done, failure) -> {
                if (failure != null) {
                  LOG.debug("A record isn't stored", failure);
                  return refused(ErrorType.INTERNAL_FAILURE, "Internal service failure.");
                }
                return stored(entry, last.join());
              });
    }

    /**
     * The number is that of the real shard, and so is the name; but a client that chose a shard by
     * its hash key hears the name of that, since KPL puts a record that went elsewhere again and
     * again.
     */
    private Put stored(Entry entry, RecordMetadata metadata) {
      Shard real = stream.shards().get(metadata.partition());
      Shard named =
          entry.explicitHashKey() == null
              ? real
              : stream.shards().stream()
                  .filter(shard -> shard.range().contains(entry.explicitHashKey()))
                  .findAny()
                  .orElse(real);
      return new Put(named, SequenceNumber.of(real, metadata.offset(), metadata.timestamp()), null);
    }

    private CompletableFuture<RecordMetadata> write(String topic, String roomId, byte[] value) {
      byte[] key = roomId.getBytes(UTF_8);
      return write(
          new ProducerRecord<>(topic, Partitions.of(key, stream.partitions()), key, value));
    }

    /** Without the tokens of sessions, which are nobody's to read. */
    private CompletableFuture<RecordMetadata> bury(Refused refused) {
      if (isLate()) {
        return late();
      }
      byte[] value =
          TOKEN
              .matcher(new String(refused.record.data(), UTF_8))
              .replaceAll("(token)")
              .getBytes(UTF_8);
      String reason =
          "put into %s in an aggregated record: %s".formatted(stream.name(), refused.why);
      return write(
          new ProducerRecord<>(
              topics.deadLetters(),
              null,
              null,
              DeadLetter.kept(refused.record.partitionKey().getBytes(UTF_8)),
              DeadLetter.kept(value),
              DeadLetter.headers(new RecordHeaders(), value, reason, DeadLetter.Origin.UNKNOWN)));
    }

    private CompletableFuture<RecordMetadata> write(ProducerRecord<byte[], byte[]> record) {
      return isLate() ? late() : writer.write(record);
    }

    private boolean isLate() {
      return System.nanoTime() - giveUp >= 0;
    }

    private static CompletableFuture<RecordMetadata> late() {
      return CompletableFuture.failedFuture(
          new LogUnavailableException(false, "It took too long to send the others", null));
    }
  }

  private static Put refused(String why) {
    return refused(ErrorType.INVALID_ARGUMENT, why);
  }

  private static Put refused(ErrorType type, String why) {
    return new Put(null, null, new KinesisException(type, why));
  }

  /** Waits for what is on its way, for some seconds at most. */
  @Override
  public void close() {
    writer.close();
  }
}
