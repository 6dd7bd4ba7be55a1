package dev.sluice.log;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A plain idempotent producer that waits for all replicas, gives up in bounded time, and says of a
 * record it could not write whether it may be stored all the same. Thread-safe.
 */
public final class RecordWriter implements AutoCloseable {
  private static final int BATCH_BYTES = 64 * 1024;
  private static final long BUFFER_BYTES = 64L << 20;
  private static final Duration RECONNECT_AT_MOST = Duration.ofMillis(500);

  /**
   * How long a verdict "never sent" is held back: the producer may expire a batch in the very pass
   * in which it sends it, and counts it as sent only at the end of that pass.
   */
  private static final Duration VERDICT_AFTER = Duration.ofMillis(100);

  private final CommandLog.Limits limits;
  private final KafkaProducer<byte[], byte[]> producer;
  private final Metric sent;
  private final Semaphore room;
  private final Executor later =
      CompletableFuture.delayedExecutor(
          VERDICT_AFTER.toMillis(), TimeUnit.MILLISECONDS, ForkJoinPool.commonPool());

  /**
   * Starts a producer; needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   */
  public RecordWriter(Map<String, Object> kafka, String clientId, CommandLog.Limits limits) {
    this.limits = limits;
    this.room = new Semaphore(limits.maxInFlight());
    this.producer = new KafkaProducer<>(settings(kafka, clientId, limits));
    this.sent =
        producer.metrics().entrySet().stream()
            .filter(e -> e.getKey().name().equals("record-send-total"))
            .filter(e -> e.getKey().group().equals("producer-metrics"))
            .map(Map.Entry::getValue)
            .findFirst()
            .orElseThrow();
  }

  private static Map<String, Object> settings(
      Map<String, Object> kafka, String clientId, CommandLog.Limits limits) {
    long block = limits.block().toMillis();
    long delivery = limits.delivery().toMillis() - block;
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, block);
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) delivery);
    settings.put(
        ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) (delivery - limits.linger().toMillis()));
    settings.put(ProducerConfig.LINGER_MS_CONFIG, limits.linger().toMillis());
    settings.put(ProducerConfig.BATCH_SIZE_CONFIG, BATCH_BYTES);
    settings.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
    settings.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_AT_MOST.toMillis());
    settings.put(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    return settings;
  }

  /**
   * Writes a record.
   *
   * @return where it stands, completed on the producer's own thread; fails with {@link
   *     LogUnavailableException}
   */
  public CompletableFuture<RecordMetadata> write(ProducerRecord<byte[], byte[]> record) {
    CompletableFuture<RecordMetadata> written = new CompletableFuture<>();
    if (!room.tryAcquire()) {
      written.completeExceptionally(
          new LogUnavailableException(
              false, limits.maxInFlight() + " records are on their way already", null));
      return written;
    }
    double sentBefore = sent();
    try {
      var unused =
          producer.send(
              record,
              (metadata, failure) -> {
                room.release();
                if (failure != null) {
                  fail(written, failure, sentBefore);
                } else if (!metadata.hasOffset()) {
                  written.completeExceptionally(
                      new LogUnavailableException(
                          true, "The record is stored but its offset isn't known", null));
                } else {
                  written.complete(metadata);
                }
              });
    } catch (KafkaException | IllegalStateException e) {
      // Thrown before anything is queued, and then the callback isn't called.
      if (!written.isDone()) {
        room.release();
        written.completeExceptionally(new LogUnavailableException(false, words(e), e));
      }
    }
    return written;
  }

  private void fail(
      CompletableFuture<RecordMetadata> written, Exception failure, double sentBefore) {
    if (isRefusal(failure)) {
      written.completeExceptionally(new LogUnavailableException(false, words(failure), failure));
    } else if (sent() != sentBefore) {
      written.completeExceptionally(new LogUnavailableException(true, words(failure), failure));
    } else {
      later.execute(
          () ->
              written.completeExceptionally(
                  new LogUnavailableException(sent() != sentBefore, words(failure), failure)));
    }
  }

  /** Failures after which a record is certainly not stored. */
  private static boolean isRefusal(Exception failure) {
    return failure instanceof RecordTooLargeException
        || failure instanceof AuthorizationException
        || failure instanceof InvalidTopicException
        || failure instanceof SerializationException
        || failure instanceof UnknownTopicOrPartitionException;
  }

  private static String words(Exception failure) {
    return "Kafka didn't take the record: " + failure.getMessage();
  }

  /** Records ever handed to the network, of all callers. */
  private double sent() {
    return (double) sent.metricValue();
  }

  /** Waits for what is on its way, for at most the time that a delivery may take. */
  @Override
  public void close() {
    producer.close(limits.delivery());
  }
}
