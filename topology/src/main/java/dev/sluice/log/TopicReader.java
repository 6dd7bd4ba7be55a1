package dev.sluice.log;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread with a consumer of assigned partitions, which waits for no commit and survives whatever
 * the broker does.
 */
public final class TopicReader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TopicReader.class);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration API_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration RECONNECT_AT_MOST = Duration.ofMillis(500);
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(500);
  private static final Duration CLOSE_AT_MOST = Duration.ofSeconds(5);

  /**
   * Where to go on when the place of a reader is no longer in the log: one that stalled for longer
   * than the log is kept has lost track anyway.
   */
  private static final String AFTER_LOSS = "by_duration:PT1M";

  private final Reading reading;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Thread thread;
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final CountDownLatch closing = new CountDownLatch(1);

  /** What is read and what is made of it, all on the reader's thread. */
  public interface Reading {
    /** Assigns partitions and takes a place in each; called again if it throws. */
    void begin(KafkaConsumer<byte[], byte[]> consumer);

    /** Takes what was read since the last call, often nothing. What it throws is logged. */
    void take(KafkaConsumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records);
  }

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   */
  public TopicReader(Map<String, Object> kafka, String clientId, Reading reading) {
    this.reading = reading;
    this.consumer = new KafkaConsumer<>(settings(kafka, clientId));
    this.thread = new Thread(this::run, clientId);
    thread.setDaemon(true);
  }

  /**
   * A reader of all partitions of a topic from now on: once it is {@link #ready} it misses nothing.
   *
   * @param each takes each record, on the reader's thread
   */
  static TopicReader fromNowOn(
      Map<String, Object> kafka,
      String clientId,
      String topic,
      int partitions,
      Consumer<ConsumerRecord<byte[], byte[]>> each) {
    List<TopicPartition> all =
        IntStream.range(0, partitions)
            .mapToObj(partition -> new TopicPartition(topic, partition))
            .toList();
    return new TopicReader(
        kafka,
        clientId,
        new Reading() {
          @Override
          public void begin(KafkaConsumer<byte[], byte[]> consumer) {
            consumer.assign(all);
            consumer.seekToEnd(all);
            all.forEach(consumer::position);
          }

          @Override
          public void take(
              KafkaConsumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records) {
            records.forEach(each);
          }
        });
  }

  private static Map<String, Object> settings(Map<String, Object> kafka, String clientId) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ConsumerConfig.CLIENT_ID_CONFIG, clientId);
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, AFTER_LOSS);
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 2_000);
    settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis());
    settings.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) API_TIMEOUT.toMillis());
    settings.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_AT_MOST.toMillis());
    settings.put(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    return settings;
  }

  /** Starts to read; returns at once. Once only. */
  public void start() {
    thread.start();
  }

  /** Completes when {@link Reading#begin} has succeeded; never fails. */
  public CompletableFuture<Void> ready() {
    return ready.copy();
  }

  private void run() {
    try {
      while (!isClosing()) {
        try {
          if (!ready.isDone()) {
            reading.begin(consumer);
            ready.complete(null);
          }
          reading.take(consumer, consumer.poll(POLL));
        } catch (WakeupException e) {
          LOG.debug("Woken up to close");
        } catch (RuntimeException e) {
          LOG.warn("{} goes on after: {}", thread.getName(), e.toString());
          pause();
        }
      }
    } finally {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
    }
  }

  private void pause() {
    try {
      if (closing.await(PAUSE_AFTER_FAILURE.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.debug("Closing");
      }
    } catch (InterruptedException e) {
      closing.countDown();
    }
  }

  private boolean isClosing() {
    return closing.getCount() == 0;
  }

  /** Stops; returns once nothing is taken any more, within 5 seconds. */
  @Override
  public void close() {
    closing.countDown();
    if (thread.getState() == Thread.State.NEW) {
      consumer.close(CloseOptions.timeout(Duration.ZERO));
      return;
    }
    consumer.wakeup();
    try {
      thread.join(CLOSE_AT_MOST.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
