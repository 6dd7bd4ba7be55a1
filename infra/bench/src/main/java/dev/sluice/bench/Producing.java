package dev.sluice.bench;

import dev.sluice.contract.Command;
import dev.sluice.contract.CommandJson;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.Topics;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Puts many commands of one room straight into the log, as fast as it takes them. */
public final class Producing implements AutoCloseable {
  private final KafkaProducer<byte[], byte[]> producer;
  private final Topics topics;
  private final String room;
  private final int partition;
  private final AtomicReference<Exception> failure = new AtomicReference<>();

  public Producing(String kafka, Topics topics, String room) {
    Map<String, Object> config = new HashMap<>();
    config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka);
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    config.put(ProducerConfig.LINGER_MS_CONFIG, 5);
    config.put(ProducerConfig.BATCH_SIZE_CONFIG, 64 * 1024);
    this.producer =
        new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
    this.topics = topics;
    this.room = room;
    this.partition = Partitions.of(room, topics.partitions());
  }

  /** Appends a command of the room, or of its whole partition. */
  public void append(Command command) {
    byte[] key = command instanceof Command.OfPerson ? room.getBytes(StandardCharsets.UTF_8) : null;
    Future<RecordMetadata> unused =
        producer.send(
            new ProducerRecord<>(topics.entries(), partition, key, CommandJson.write(command)),
            (metadata, e) -> {
              if (e != null) {
                failure.compareAndSet(null, e);
              }
            });
  }

  /**
   * Waits until all are in the log.
   *
   * @throws IllegalStateException if any isn't
   */
  public void flush() {
    producer.flush();
    if (failure.get() != null) {
      throw new IllegalStateException("a command is not in the log", failure.get());
    }
  }

  @Override
  public void close() {
    producer.close();
  }
}
