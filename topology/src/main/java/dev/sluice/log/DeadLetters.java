package dev.sluice.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.Partitions;
import dev.sluice.contract.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of {@code sluice.dlq}: listed, and sent again on request. One question is answered at
 * a time, with a consumer made for it. Thread-safe.
 */
public final class DeadLetters implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeadLetters.class);

  /** The most that {@link #list} gives. */
  public static final int MAX_LIMIT = 1_000;

  private static final int MAX_SHOWN = 4 * 1024;
  private static final int MAX_QUEUED = 16;
  private static final Duration API_TIMEOUT = Duration.ofSeconds(5);

  /** How far a list looks back for each letter asked for, since notes and markers stand between. */
  private static final int LOOK_BACK = 4;

  private final Map<String, Object> kafka;
  private final Topics topics;
  private final RecordWriter writer;
  private final ExecutorService work =
      new ThreadPoolExecutor(
          1,
          1,
          1,
          TimeUnit.MINUTES,
          new LinkedBlockingQueue<>(MAX_QUEUED),
          task -> {
            Thread thread = new Thread(task, "sluice-dead-letters");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   */
  public DeadLetters(Map<String, Object> kafka, Topics topics) {
    this.kafka = Map.copyOf(kafka);
    this.topics = topics;
    this.writer = new RecordWriter(kafka, "sluice-dead-letters", CommandLog.Limits.DEFAULT);
  }

  /**
   * The newest first, as far as they stand among the last {@code 4 x limit} records.
   *
   * @param limit 1 to {@link #MAX_LIMIT}
   * @return fails with {@link LogUnavailableException}
   */
  public CompletableFuture<List<DeadLetter>> list(int limit) {
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new IllegalArgumentException("limit must be 1 to %d".formatted(MAX_LIMIT));
    }
    return answer(
        consumer -> {
          Shelf shelf = new Shelf();
          for (TopicPartition partition : partitions(consumer)) {
            readLast(consumer, partition, (long) limit * LOOK_BACK, shelf);
          }
          return shelf.newest(limit);
        });
  }

  /**
   * Sends a record again to the topic it came from, to the partition its key belongs to. Both the
   * record sent and a note in {@code sluice.dlq} say so.
   *
   * @param id of a {@link DeadLetter}
   * @return where it went; fails with {@link NoSuchElementException} when there is none of that id,
   *     {@link IllegalStateException} when it can't be sent again, saying why, or {@link
   *     LogUnavailableException}
   */
  public CompletableFuture<DeadLetter.Redriven> redrive(String id) {
    return answer(consumer -> redrive(id, consumer));
  }

  /** A question to the topic, with a consumer of its own. */
  private interface Question<T> {
    T ask(KafkaConsumer<byte[], byte[]> consumer) throws LogUnavailableException;
  }

  private <T> CompletableFuture<T> answer(Question<T> question) {
    try {
      return CompletableFuture.supplyAsync(
          () -> {
            KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings());
            try {
              return question.ask(consumer);
            } catch (KafkaException e) {
              throw new CompletionException(
                  new LogUnavailableException(false, "Kafka didn't answer: " + e.getMessage(), e));
            } catch (LogUnavailableException e) {
              throw new CompletionException(e);
            } finally {
              consumer.close(CloseOptions.timeout(Duration.ZERO));
            }
          },
          work);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new LogUnavailableException(false, "Too many ask for dead letters at once", e));
    }
  }

  private Map<String, Object> settings() {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ConsumerConfig.CLIENT_ID_CONFIG, "sluice-dead-letters");
    // What an aborted transaction wrote is written again; the shelf keeps one of a kind.
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis());
    settings.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis());
    settings.put(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    return settings;
  }

  private List<TopicPartition> partitions(KafkaConsumer<byte[], byte[]> consumer) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (PartitionInfo info : consumer.partitionsFor(topics.deadLetters())) {
      partitions.add(new TopicPartition(info.topic(), info.partition()));
    }
    return partitions;
  }

  private static void readLast(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, long count, Shelf shelf)
      throws LogUnavailableException {
    List<TopicPartition> one = List.of(partition);
    consumer.assign(one);
    long end = consumer.endOffsets(one).get(partition);
    long begin = consumer.beginningOffsets(one).get(partition);
    consumer.seek(partition, Math.max(begin, end - count));
    long giveUp = System.nanoTime() + API_TIMEOUT.toNanos();
    while (consumer.position(partition) < end) {
      if (System.nanoTime() > giveUp) {
        throw new LogUnavailableException(false, "Kafka didn't answer in time", null);
      }
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
        shelf.add(record);
      }
    }
  }

  private DeadLetter.Redriven redrive(String id, KafkaConsumer<byte[], byte[]> consumer)
      throws LogUnavailableException {
    ConsumerRecord<byte[], byte[]> letter = find(id, consumer);
    DeadLetter.Origin origin = DeadLetter.Origin.of(letter.headers());
    String topic = origin.topic();
    if (!isKeyed(topic) && !topic.equals(topics.config())) {
      throw new IllegalStateException(
          topic.isEmpty()
              ? "It isn't known where %s came from".formatted(id)
              : "Records of %s can't be sent again".formatted(topic));
    }
    if (letter.headers().lastHeader(DeadLetter.SIZE) != null) {
      throw new IllegalStateException("%s was too large to keep whole".formatted(id));
    }
    int partition = partition(letter, origin);
    Headers headers = DeadLetter.headersOfOthers(letter.headers());
    DeadLetter.add(headers, DeadLetter.REDRIVEN_FROM, id);
    RecordMetadata sent =
        write(new ProducerRecord<>(topic, partition, letter.key(), letter.value(), headers));
    note(letter, origin, sent);
    return new DeadLetter.Redriven(topic, sent.partition(), sent.offset(), sent.timestamp());
  }

  /** Whether the key of a record says in which partition of the topic it belongs. */
  private boolean isKeyed(String topic) {
    return topic.equals(topics.entries())
        || topic.equals(topics.roomEvents())
        || topic.equals(topics.joins());
  }

  private int partition(ConsumerRecord<byte[], byte[]> letter, DeadLetter.Origin origin) {
    if (!isKeyed(origin.topic())) {
      return 0;
    }
    if (letter.key() != null) {
      return Partitions.of(letter.key(), topics.partitions());
    }
    if (origin.partition() >= topics.partitions()) {
      throw new IllegalStateException(
          "%s has no partition %d".formatted(origin.topic(), origin.partition()));
    }
    return origin.partition();
  }

  private ConsumerRecord<byte[], byte[]> find(String id, KafkaConsumer<byte[], byte[]> consumer)
      throws LogUnavailableException {
    int dash = id.indexOf('-');
    TopicPartition partition;
    long offset;
    try {
      partition =
          new TopicPartition(
              topics.deadLetters(), Integer.parseUnsignedInt(id.substring(0, Math.max(dash, 0))));
      offset = Long.parseUnsignedLong(id.substring(dash + 1));
    } catch (NumberFormatException e) {
      throw none(id);
    }
    if (!partitions(consumer).contains(partition)) {
      throw none(id);
    }
    List<TopicPartition> one = List.of(partition);
    consumer.assign(one);
    if (offset < consumer.beginningOffsets(one).get(partition)
        || offset >= consumer.endOffsets(one).get(partition)) {
      throw none(id);
    }
    consumer.seek(partition, offset);
    long giveUp = System.nanoTime() + API_TIMEOUT.toNanos();
    while (System.nanoTime() < giveUp) {
      for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
        if (record.offset() != offset || isNote(record)) {
          throw none(id);
        }
        return record;
      }
      if (consumer.position(partition) > offset) {
        throw none(id);
      }
    }
    throw new LogUnavailableException(false, "Kafka didn't answer in time", null);
  }

  private static NoSuchElementException none(String id) {
    return new NoSuchElementException("There is no dead letter " + DeadLetter.cut(id, 40));
  }

  private void note(
      ConsumerRecord<byte[], byte[]> letter, DeadLetter.Origin origin, RecordMetadata sent) {
    Headers headers = new RecordHeaders();
    origin.addTo(headers);
    DeadLetter.add(headers, DeadLetter.REDRIVEN_TO_TOPIC, sent.topic());
    DeadLetter.add(headers, DeadLetter.REDRIVEN_TO_PARTITION, Integer.toString(sent.partition()));
    DeadLetter.add(headers, DeadLetter.REDRIVEN_TO_OFFSET, Long.toString(sent.offset()));
    try {
      write(new ProducerRecord<>(letter.topic(), letter.partition(), letter.key(), null, headers));
    } catch (LogUnavailableException e) {
      LOG.warn("{} was sent again, and the note of it is lost: {}", origin, e.getMessage());
    }
  }

  private RecordMetadata write(ProducerRecord<byte[], byte[]> record)
      throws LogUnavailableException {
    try {
      return writer.write(record).get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof LogUnavailableException unavailable) {
        throw unavailable;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LogUnavailableException(true, "Closing", e);
    }
  }

  private static boolean isNote(ConsumerRecord<byte[], byte[]> record) {
    return record.headers().lastHeader(DeadLetter.REDRIVEN_TO_TOPIC) != null;
  }

  /** Letters by their origin, so that one written twice is there once, and notes on them. */
  private static final class Shelf {
    private final Map<Object, DeadLetter> letters = new HashMap<>();

    void add(ConsumerRecord<byte[], byte[]> record) {
      DeadLetter.Origin origin = DeadLetter.Origin.of(record.headers());
      String id = record.partition() + "-" + record.offset();
      Object place = origin.equals(DeadLetter.Origin.UNKNOWN) ? id : origin;
      if (isNote(record)) {
        letters.computeIfPresent(place, (same, letter) -> redriven(letter, record));
      } else {
        letters.put(place, letter(id, record, origin));
      }
    }

    List<DeadLetter> newest(int limit) {
      Collection<DeadLetter> all = letters.values();
      return all.stream()
          .sorted(
              Comparator.comparingLong(DeadLetter::at).thenComparing(DeadLetter::offset).reversed())
          .limit(limit)
          .toList();
    }

    private static DeadLetter letter(
        String id, ConsumerRecord<byte[], byte[]> record, DeadLetter.Origin origin) {
      String reason = DeadLetter.text(record.headers(), DeadLetter.REASON);
      long size = DeadLetter.number(record.headers(), DeadLetter.SIZE);
      return new DeadLetter(
          id,
          record.timestamp(),
          shown(record.key()),
          shown(record.value()),
          size >= 0 ? (int) size : record.value() == null ? 0 : record.value().length,
          reason == null ? "no reason given" : reason,
          origin,
          Optional.empty());
    }

    private static DeadLetter redriven(DeadLetter letter, ConsumerRecord<byte[], byte[]> note) {
      return new DeadLetter(
          letter.id(),
          letter.at(),
          letter.key(),
          letter.value(),
          letter.size(),
          letter.reason(),
          letter.origin(),
          Optional.of(
              new DeadLetter.Redriven(
                  DeadLetter.text(note.headers(), DeadLetter.REDRIVEN_TO_TOPIC),
                  (int) DeadLetter.number(note.headers(), DeadLetter.REDRIVEN_TO_PARTITION),
                  DeadLetter.number(note.headers(), DeadLetter.REDRIVEN_TO_OFFSET),
                  note.timestamp())));
    }

    private static String shown(byte[] bytes) {
      return bytes == null ? null : new String(bytes, 0, Math.min(bytes.length, MAX_SHOWN), UTF_8);
    }
  }

  @Override
  public void close() {
    work.shutdownNow();
    writer.close();
  }
}
