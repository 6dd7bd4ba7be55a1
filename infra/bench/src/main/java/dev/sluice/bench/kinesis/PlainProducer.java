package dev.sluice.bench.kinesis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** What Kafka takes of one producer that speaks its own protocol, as durable as Sluice's. */
final class PlainProducer implements AutoCloseable {
  private static final String TOPIC = "plain";
  private static final int RECORD_BYTES = 100;
  private static final int KEYS = 100_000;
  private static final int BATCH_BYTES = 128 * 1024;

  private final KafkaProducer<byte[], byte[]> producer;
  private final AtomicReference<Exception> failure = new AtomicReference<>();
  private final Random random = new Random(1);

  PlainProducer(String kafka, int partitions) {
    Map<String, Object> clients = Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka);
    try (Admin admin = Admin.create(clients)) {
      admin.createTopics(List.of(new NewTopic(TOPIC, partitions, (short) 1))).all().get();
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException("there is no topic to put to", e);
    }
    producer =
        new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                kafka,
                ProducerConfig.ACKS_CONFIG,
                "all",
                ProducerConfig.BATCH_SIZE_CONFIG,
                BATCH_BYTES),
            new ByteArraySerializer(),
            new ByteArraySerializer());
  }

  /** As fast as it takes them; returns records a second, all of them acknowledged. */
  double run(Duration time) {
    byte[] data = new byte[RECORD_BYTES];
    random.nextBytes(data);
    long start = System.nanoTime();
    long end = start + time.toNanos();
    long records = 0;
    while (System.nanoTime() - end < 0) {
      Future<RecordMetadata> unused =
          producer.send(
              new ProducerRecord<>(TOPIC, ("key-" + random.nextInt(KEYS)).getBytes(UTF_8), data),
              (metadata, e) -> {
                if (e != null) {
                  failure.set(e);
                }
              });
      records++;
    }
    producer.flush();
    if (failure.get() != null) {
      throw new IllegalStateException("a record isn't in the log", failure.get());
    }
    return records * 1e9 / (System.nanoTime() - start);
  }

  @Override
  public void close() {
    producer.close();
  }
}
