package dev.sluice.kinesis.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.HashKey;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.Ring;
import dev.sluice.kinesis.shard.SequenceNumber;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.shard.StreamState.Status;
import dev.sluice.kinesis.table.StreamTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts records into shards, and says so only of those that stand within their shard for good.
 *
 * <p>Which shard a record goes to is looked up in the view of the table, which may be behind. So
 * after Kafka has acknowledged the records, the table is read to its end (a question to the broker
 * that all who wait share). If the shard is still open then, its marker isn't written yet and will
 * stand behind the record. If it is closing, its end is waited for; a record beyond it, which
 * readers drop, is put again, to the child. Thread-safe.
 */
public final class ShardWriter implements EntryWriter, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShardWriter.class);

  /** The largest record there can be, in a batch of its own. */
  private static final int MAX_REQUEST_BYTES = 12 << 20;

  private static final int BATCH_BYTES = 128 * 1024;
  private static final long BUFFER_BYTES = 64L << 20;
  private static final Duration LINGER = Duration.ofMillis(1);
  private static final Duration BLOCK_AT_MOST = Duration.ofSeconds(2);
  private static final Duration DELIVER_WITHIN = Duration.ofSeconds(8);
  private static final Duration RECONNECT_AT_MOST = Duration.ofMillis(500);

  /** Who closes a shard may die, and is then missed for 10 s. */
  private static final Duration CLOSED_WITHIN = Duration.ofSeconds(20);

  private final StreamTable table;
  private final Account account;
  private final String prefix;
  private final KafkaProducer<byte[], byte[]> producer;
  private final Set<String> topics;
  private final Map<String, Route> routes = new ConcurrentHashMap<>();

  /**
   * Goes on with puts, off the threads of Kafka's clients; may be kept by a full buffer. Never shut
   * down, so that every put is answered; its threads end by themselves.
   */
  private final ExecutorService later =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "sluice-kinesis-put");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * What is to be put.
   *
   * @param partitionKey whose MD5 is the hash key
   * @param explicitHashKey the hash key, or null
   * @param data not copied, and must not be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  public record Entry(String partitionKey, HashKey explicitHashKey, byte[] data) {
    /** Where on the ring it goes. */
    public HashKey hashKey() {
      return explicitHashKey == null ? HashKey.of(partitionKey) : explicitHashKey;
    }
  }

  /**
   * What came of an entry.
   *
   * @param shard that it is in; null if it failed
   * @param sequenceNumber of its record; null if it failed
   * @param failure why it may be not stored; null if it is
   */
  public record Put(Shard shard, SequenceNumber sequenceNumber, KinesisException failure) {}

  /** The ring of a stream with what each record of a shard carries. */
  private static final class Route {
    final Ring ring;
    final List<List<Header>> headers;

    Route(StreamState stream) {
      ring = Ring.of(stream);
      headers =
          IntStream.range(0, ring.size())
              .mapToObj(
                  place ->
                      stream.isOfOthers() ? List.<Header>of() : ShardHeader.of(ring.shard(place)))
              .toList();
    }
  }

  /**
   * Starts a producer; needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param prefix of every topic
   * @param topics of others that may be written
   */
  public ShardWriter(
      Map<String, Object> kafka,
      String prefix,
      StreamTable table,
      Account account,
      Set<String> topics) {
    this.topics = Set.copyOf(topics);
    this.table = table;
    this.account = account;
    this.prefix = prefix;
    this.producer = new KafkaProducer<>(settings(kafka));
  }

  private static Map<String, Object> settings(Map<String, Object> kafka) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ProducerConfig.CLIENT_ID_CONFIG, "sluice-kinesis-put");
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, BLOCK_AT_MOST.toMillis());
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) DELIVER_WITHIN.toMillis());
    settings.put(
        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) DELIVER_WITHIN.minus(LINGER).toMillis());
    settings.put(ProducerConfig.LINGER_MS_CONFIG, LINGER.toMillis());
    settings.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
    settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
    settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_REQUEST_BYTES);
    settings.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_AT_MOST.toMillis());
    settings.put(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    return settings;
  }

  @Override
  public CompletableFuture<List<Put>> put(StreamState stream, List<Entry> entries) {
    if (stream.isOfOthers() && !topics.contains(stream.topic())) {
      return CompletableFuture.failedFuture(account.readOnly(stream));
    }
    Request request = new Request(stream, entries);
    request.send(IntStream.range(0, entries.size()).toArray());
    return request.answer;
  }

  /**
   * Writes the marker behind the last record of a shard that is closing.
   *
   * @return its offset
   */
  CompletableFuture<Long> mark(StreamState stream, Shard shard) {
    CompletableFuture<Long> offset = new CompletableFuture<>();
    try {
      var unused =
          producer.send(
              new ProducerRecord<>(
                  StreamTopics.name(prefix, stream),
                  shard.partition(),
                  null,
                  null,
                  null,
                  ShardHeader.marker(shard)),
              (metadata, failure) -> {
                if (failure == null && metadata.hasOffset()) {
                  offset.complete(metadata.offset());
                } else {
                  offset.completeExceptionally(
                      KinesisException.unavailable("A marker can't be written."));
                }
              });
    } catch (KafkaException | IllegalStateException e) {
      offset.completeExceptionally(e);
    }
    return offset;
  }

  @SuppressWarnings("ReferenceEquality") // the view gives the same until it changes
  private Route route(StreamState stream) {
    Route route = routes.get(stream.name());
    if (route == null || route.ring.stream() != stream) {
      route = new Route(stream);
      routes.put(stream.name(), route);
    }
    return route;
  }

  /** The records of one call, on their way. */
  private final class Request {
    private final StreamState stream;
    private final String topic;
    private final List<Entry> entries;
    private final Shard[] shards;
    private final long[] offsets;
    private final long[] timestamps;
    private final boolean[] failed;
    private final CompletableFuture<List<Put>> answer = new CompletableFuture<>();

    /** Indexes of the entries under way; those before them are where they belong. */
    private int[] sending;

    private final AtomicInteger left = new AtomicInteger();

    Request(StreamState stream, List<Entry> entries) {
      this.stream = stream;
      this.topic = StreamTopics.name(prefix, stream);
      this.entries = entries;
      this.shards = new Shard[entries.size()];
      this.offsets = new long[entries.size()];
      this.timestamps = new long[entries.size()];
      this.failed = new boolean[entries.size()];
    }

    void send(int[] indexes) {
      sending = indexes;
      StreamState now = present();
      if (now == null) {
        return;
      }
      Route route = route(now);
      int[] places = new int[indexes.length];
      for (int i = 0; i < indexes.length; i++) {
        places[i] = route.ring.place(entries.get(indexes[i]).hashKey());
        Shard shard = route.ring.shard(places[i]);
        if (shard.state() == Shard.State.CLOSING) {
          afterClosed(shard, () -> send(indexes));
          return;
        }
        shards[indexes[i]] = shard;
      }
      // One more, so that nothing is answered while this sends.
      left.set(indexes.length + 1);
      boolean hopeless = false;
      for (int i = 0; i < indexes.length; i++) {
        int index = indexes[i];
        if (hopeless) {
          failed(index);
        } else {
          send(index, route.headers.get(places[i]));
          // Failed at once: the buffer is full, or Kafka is away, and it waited for that already.
          hopeless = failed[index];
        }
      }
      arrived();
    }

    private void send(int index, List<Header> headers) {
      Entry entry = entries.get(index);
      try {
        var unused =
            producer.send(
                new ProducerRecord<>(
                    topic,
                    shards[index].partition(),
                    null,
                    entry.partitionKey().getBytes(UTF_8),
                    entry.data(),
                    headers),
                new Acknowledgement(index));
      } catch (KafkaException | IllegalStateException e) {
        LOG.debug("A record isn't sent", e);
        failed(index);
      }
    }

    private final class Acknowledgement implements Callback {
      private final int index;

      Acknowledgement(int index) {
        this.index = index;
      }

      @Override
      public void onCompletion(RecordMetadata metadata, Exception failure) {
        if (failure != null || !metadata.hasOffset()) {
          LOG.debug("A record isn't acknowledged", failure);
          failed(index);
          return;
        }
        offsets[index] = metadata.offset();
        timestamps[index] = metadata.timestamp();
        arrived();
      }
    }

    private void failed(int index) {
      failed[index] = true;
      arrived();
    }

    private void arrived() {
      if (left.decrementAndGet() > 0) {
        return;
      }
      if (Arrays.stream(sending).allMatch(index -> failed[index])) {
        later.execute(this::answer);
      } else {
        then(table.readToEnd(), this::look);
      }
    }

    /** Goes on after {@code event}, or gives up with its failure. */
    private void then(CompletableFuture<?> event, Runnable next) {
      var unused =
          event
              .handleAsync(
                  (value, failure) -> {
                    if (failure == null) {
                      next.run();
                    } else {
                      failRest();
                    }
                    return null;
                  },
                  later)
              .exceptionally(
                  fault -> {
                    answer.completeExceptionally(fault);
                    return null;
                  });
    }

    /** The table has been read to its end since the last acknowledgement. */
    private void look() {
      StreamState now = present();
      if (now == null) {
        return;
      }
      int[] again = new int[sending.length];
      int count = 0;
      Shard last = null;
      Shard lastNow = null;
      for (int index : sending) {
        if (failed[index]) {
          continue;
        }
        if (last == null || shards[index].number() != last.number()) {
          last = shards[index];
          Optional<Shard> found = now.shard(last.number());
          if (found.isEmpty()) {
            // Closed so long ago that it is forgotten.
            failed[index] = true;
            last = null;
            continue;
          }
          lastNow = found.get();
        }
        if (lastNow.state() == Shard.State.CLOSING) {
          afterClosed(lastNow, this::look);
          return;
        }
        if (lastNow.isClosed() && offsets[index] > lastNow.end()) {
          again[count++] = index;
        }
      }
      if (count == 0) {
        answer();
      } else {
        send(Arrays.copyOf(again, count));
      }
    }

    /** The stream as the view has it; null, and answered, if it is gone. */
    private StreamState present() {
      StreamState now = table.stream(stream.name());
      if (!stream.isSame(now) || now.status() == Status.DELETING) {
        answer.completeExceptionally(account.noStream(stream.name()));
        return null;
      }
      return now;
    }

    private void afterClosed(Shard shard, Runnable next) {
      then(
          table
              .when(stream.name(), now -> !isClosing(now, shard))
              .orTimeout(CLOSED_WITHIN.toMillis(), TimeUnit.MILLISECONDS),
          next);
    }

    private boolean isClosing(StreamState now, Shard shard) {
      return stream.isSame(now)
          && now.shard(shard.number())
              .filter(found -> found.state() == Shard.State.CLOSING)
              .isPresent();
    }

    private void failRest() {
      for (int index : sending) {
        failed[index] = true;
      }
      answer();
    }

    private void answer() {
      Put failure =
          new Put(
              null,
              null,
              new KinesisException(ErrorType.INTERNAL_FAILURE, "Internal service failure."));
      List<Put> puts = new ArrayList<>(shards.length);
      for (int i = 0; i < shards.length; i++) {
        puts.add(
            failed[i]
                ? failure
                : new Put(
                    shards[i], SequenceNumber.of(shards[i], offsets[i], timestamps[i]), null));
      }
      answer.complete(puts);
    }
  }

  /** Waits for what is on its way, for some seconds at most. */
  @Override
  public void close() {
    producer.close(DELIVER_WITHIN);
  }
}
