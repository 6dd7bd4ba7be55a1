package dev.sluice.kinesis.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.SequenceNumber;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.table.EndOffset;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads the records of shards by offset. Who reads on where the last read of a shard ended gets the
 * consumer that did it, which has fetched ahead; so a reader needs no session, and costs little all
 * the same. All methods block, for some seconds at most, and throw {@link KinesisException} when
 * Kafka is away. Thread-safe.
 */
public final class ShardReader implements AutoCloseable {
  /** The most records of a batch. */
  public static final int MAX_RECORDS = 10_000;

  /** The most data and partition keys of a batch, unless its first record alone has more. */
  public static final int MAX_BYTES = 10 << 20;

  /** Consumers at most, each with a fetched MiB or so. */
  public static final int DEFAULT_CONSUMERS = 32;

  /** The partition key of a record that was written without one. */
  public static final String NO_KEY = "-";

  private static final byte[] NO_DATA = {};

  /**
   * How long a fetch ahead waits at the end of a partition. Who reads elsewhere next has to wait
   * for it; and nobody polls unless there is something to read.
   */
  private static final Duration FETCH_WAIT = Duration.ofMillis(5);

  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration READ_WITHIN = Duration.ofSeconds(3);
  private static final Duration API_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration RECONNECT_AT_MOST = Duration.ofMillis(500);
  private static final Duration IDLE_AT_MOST = Duration.ofMinutes(2);

  private final Map<String, Object> kafka;
  private final String prefix;
  private final Clock clock;
  private final Admin admin;
  private final Map<TopicPartition, EndOffset> ends = new ConcurrentHashMap<>();
  private final Semaphore room;
  private final int consumers;

  /** The longest idle first. Guarded by itself. */
  private final Deque<Cursor> idle = new ArrayDeque<>();

  /** Cursors idle or reading. Guarded by {@code idle}. */
  private int count;

  private final AtomicInteger opened = new AtomicInteger();

  private boolean closed;

  /**
   * A record as it was put.
   *
   * @param timestamp when the broker appended it, in milliseconds since the epoch
   */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  public record StoredRecord(
      String partitionKey, byte[] data, SequenceNumber sequenceNumber, long timestamp) {}

  /**
   * What a read gives.
   *
   * @param records in their order; may be none although there are more
   * @param next offset to read on from
   * @param millisBehindLatest how old the last record read is if there are more; 0 at the end
   * @param atEnd whether the shard is closed and nothing more will come
   */
  public record Batch(
      List<StoredRecord> records, long next, long millisBehindLatest, boolean atEnd) {

    /** How much data the records have. */
    public long bytes() {
      return records.stream().mapToLong(record -> record.data().length).sum();
    }
  }

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param prefix of every topic
   * @param consumers at most; {@link #DEFAULT_CONSUMERS}
   */
  public ShardReader(Map<String, Object> kafka, String prefix, Clock clock, int consumers) {
    this.kafka = Map.copyOf(kafka);
    this.prefix = prefix;
    this.clock = clock;
    this.consumers = consumers;
    this.room = new Semaphore(consumers, /* fair= */ true);
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(AdminClientConfig.CLIENT_ID_CONFIG, "sluice-kinesis-ends");
    settings.put(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_AT_MOST.toMillis());
    settings.put(AdminClientConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    this.admin = Admin.create(settings);
  }

  /** Where to read; of which of the streams that had its name, {@code incarnation} says. */
  private record Place(TopicPartition partition, long incarnation, long offset) {}

  /** A consumer of one partition, with what it has polled and nobody has read. */
  private final class Cursor {
    final KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings());
    final Deque<ConsumerRecord<byte[], byte[]>> polled = new ArrayDeque<>();
    TopicPartition partition;

    /** When its stream was created, which tells it from one of the same name. */
    long incarnation;

    /** Of the next record to give. */
    long position;

    long idleSince;

    boolean isAt(Place wanted) {
      return isOf(wanted) && position == wanted.offset();
    }

    boolean isOf(Place wanted) {
      return wanted.partition().equals(partition) && wanted.incarnation() == incarnation;
    }

    void seek(Place place) {
      TopicPartition wanted = place.partition();
      long offset = place.offset();
      if (!isOf(place)) {
        // Else what was fetched of a deleted topic stays there for one of the same name.
        consumer.unsubscribe();
        consumer.assign(List.of(wanted));
        partition = wanted;
        incarnation = place.incarnation();
      }
      polled.clear();
      consumer.seek(wanted, offset);
      position = offset;
    }

    /** The next record; null if none came, and then the position may have moved all the same. */
    ConsumerRecord<byte[], byte[]> peek() {
      if (polled.isEmpty()) {
        polled.addAll(consumer.poll(POLL).records(partition));
        if (polled.isEmpty()) {
          position = Math.max(position, consumer.position(partition));
        }
      }
      return polled.peek();
    }

    void pass() {
      position = polled.remove().offset() + 1;
    }

    void close() {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
    }
  }

  private Map<String, Object> settings() {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ConsumerConfig.CLIENT_ID_CONFIG, "sluice-kinesis-get-" + opened.incrementAndGet());
    // For topics of others; streams' own have no transactions.
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_RECORDS);
    settings.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, (int) FETCH_WAIT.toMillis());
    settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis());
    settings.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis());
    settings.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_AT_MOST.toMillis());
    settings.put(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    return settings;
  }

  /**
   * Reads records of a shard that were put before this call began, and perhaps later ones. Of a
   * stream of others that is every record that is committed; one without key has {@value #NO_KEY},
   * one without value no data.
   *
   * @param offset to begin at, or the first that is left behind it
   * @param limit records at most, 1 to {@link #MAX_RECORDS}
   */
  public Batch read(StreamState stream, Shard shard, long offset, int limit) {
    return read(stream, shard, offset, limit, MAX_BYTES);
  }

  /**
   * The same.
   *
   * @param maxBytes of data and partition keys at most, unless the first record alone has more; up
   *     to {@value #MAX_BYTES}
   */
  public Batch read(StreamState stream, Shard shard, long offset, int limit, long maxBytes) {
    TopicPartition partition = partition(stream, shard);
    long from = shard.within(offset);
    long end = join(end(partition));
    long until = shard.isClosed() ? Math.min(end, shard.end()) : end;
    if (from >= until) {
      return new Batch(List.of(), from, 0, isAtEnd(shard, from));
    }
    Cursor cursor = take(new Place(partition, stream.created(), from));
    boolean done = false;
    try {
      Batch batch = read(cursor, shard, stream.isOfOthers(), until, limit, maxBytes);
      done = true;
      return batch;
    } catch (KafkaException e) {
      throw KinesisException.unavailable("Kafka can't be read.");
    } finally {
      giveBack(cursor, done);
    }
  }

  private Batch read(
      Cursor cursor, Shard shard, boolean whole, long until, int limit, long maxBytes) {
    long giveUp = System.nanoTime() + READ_WITHIN.toNanos();
    List<StoredRecord> records = new ArrayList<>(Math.min(limit, 1_000));
    long bytes = 0;
    long seen = -1;
    while (records.size() < limit && cursor.position < until) {
      ConsumerRecord<byte[], byte[]> record = cursor.peek();
      if (record == null) {
        if (!records.isEmpty() || System.nanoTime() > giveUp) {
          break;
        }
        continue;
      }
      if (record.offset() >= until && shard.isClosed()) {
        cursor.position = until;
        break;
      }
      if (whole || ShardHeader.names(record, shard)) {
        bytes += Math.max(0, record.serializedKeySize());
        bytes += Math.max(0, record.serializedValueSize());
        if (bytes > maxBytes && !records.isEmpty()) {
          break;
        }
        records.add(
            new StoredRecord(
                record.key() == null ? NO_KEY : new String(record.key(), UTF_8),
                record.value() == null ? NO_DATA : record.value(),
                SequenceNumber.of(shard, record.offset(), record.timestamp()),
                record.timestamp()));
      }
      seen = record.timestamp();
      cursor.pass();
    }
    long next = cursor.position;
    long behind = next < until && seen >= 0 ? Math.max(0, clock.millis() - seen) : 0;
    return new Batch(records, next, behind, isAtEnd(shard, next));
  }

  /**
   * Whether {@link #read} would give something, be it that the shard has ended. Blocks nobody.
   *
   * @return completed on a thread that must not be kept; fails as {@link #read} does
   */
  public CompletableFuture<Boolean> hasNews(StreamState stream, Shard shard, long offset) {
    return shard.isClosed()
        ? CompletableFuture.completedFuture(true)
        : end(partition(stream, shard)).thenApply(end -> shard.within(offset) < end);
  }

  private static boolean isAtEnd(Shard shard, long next) {
    return shard.isClosed() && next >= shard.end();
  }

  /** The offset behind all records of a shard. */
  public long latest(StreamState stream, Shard shard) {
    return latest(partition(stream, shard), shard);
  }

  private long latest(TopicPartition partition, Shard shard) {
    return shard.isClosed() ? shard.end() : shard.within(join(end(partition)));
  }

  /**
   * The offset of the first record of a shard that was appended at a time or later, or behind all.
   *
   * @param time in milliseconds since the epoch
   */
  public long at(StreamState stream, Shard shard, long time) {
    return at(partition(stream, shard), shard, time);
  }

  private long at(TopicPartition partition, Shard shard, long time) {
    CompletableFuture<Long> found = new CompletableFuture<>();
    var unused =
        admin
            .listOffsets(
                Map.of(partition, OffsetSpec.forTimestamp(Math.max(0, time))),
                new ListOffsetsOptions(IsolationLevel.READ_COMMITTED)
                    .timeoutMs((int) API_TIMEOUT.toMillis()))
            .partitionResult(partition)
            .whenComplete(
                (info, failure) -> {
                  if (failure == null) {
                    found.complete(info.offset());
                  } else {
                    found.completeExceptionally(
                        KinesisException.unavailable("Kafka doesn't say what it had when."));
                  }
                });
    long offset = join(found);
    return offset < 0 ? latest(partition, shard) : shard.within(offset);
  }

  private TopicPartition partition(StreamState stream, Shard shard) {
    return new TopicPartition(StreamTopics.name(prefix, stream), shard.partition());
  }

  private CompletableFuture<Long> end(TopicPartition partition) {
    return ends.computeIfAbsent(
            partition, one -> new EndOffset(admin, one, IsolationLevel.READ_COMMITTED))
        .ask();
  }

  private static long join(CompletableFuture<Long> offset) {
    try {
      return offset.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof KinesisException refusal ? refusal : e;
    }
  }

  private Cursor take(Place place) {
    try {
      if (!room.tryAcquire(API_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw KinesisException.unavailable("Too many read at once.");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw KinesisException.unavailable("Shutting down.");
    }
    Cursor cursor = null;
    boolean taken = false;
    try {
      cursor = idle(place);
      if (cursor == null) {
        cursor = new Cursor();
      }
      if (!cursor.isAt(place)) {
        cursor.seek(place);
      }
      taken = true;
      return cursor;
    } finally {
      if (!taken) {
        synchronized (idle) {
          count--;
        }
        room.release();
        if (cursor != null) {
          cursor.close();
        }
      }
    }
  }

  /** The one that read up to a place, or another if there may be no more; null: a new one. */
  private Cursor idle(Place place) {
    synchronized (idle) {
      for (Iterator<Cursor> all = idle.descendingIterator(); all.hasNext(); ) {
        Cursor cursor = all.next();
        if (cursor.isAt(place)) {
          all.remove();
          return cursor;
        }
      }
      if (count >= consumers) {
        return idle.removeFirst();
      }
      count++;
      return null;
    }
  }

  private void giveBack(Cursor cursor, boolean usable) {
    List<Cursor> gone = new ArrayList<>();
    long now = System.nanoTime();
    synchronized (idle) {
      if (usable && !closed) {
        cursor.idleSince = now;
        idle.addLast(cursor);
      } else {
        count--;
        gone.add(cursor);
      }
      while (!idle.isEmpty() && now - idle.getFirst().idleSince > IDLE_AT_MOST.toNanos()) {
        count--;
        gone.add(idle.removeFirst());
      }
    }
    room.release();
    gone.forEach(Cursor::close);
  }

  /** Stops; reads under way end by themselves. */
  @Override
  public void close() {
    List<Cursor> gone;
    synchronized (idle) {
      closed = true;
      gone = new ArrayList<>(idle);
      idle.clear();
      count -= gone.size();
    }
    gone.forEach(Cursor::close);
    admin.close(Duration.ZERO);
  }
}
