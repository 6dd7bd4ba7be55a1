package dev.sluice.admission.streams;

import dev.sluice.query.OwnedPartition;
import dev.sluice.query.OwnedPartitions;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;

/**
 * The Kafka clients of the admission application. Its producer commits no offsets of a partition
 * that is halted, so that the command which halted it is read again after the next start.
 */
public final class AdmissionClients implements KafkaClientSupplier {
  private final OwnedPartitions owned;
  private final String entries;

  /**
   * @param entries the topic whose partitions are owned
   */
  public AdmissionClients(OwnedPartitions owned, String entries) {
    this.owned = owned;
    this.entries = entries;
  }

  @Override
  public Admin getAdmin(Map<String, Object> config) {
    return Admin.create(config);
  }

  @Override
  public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer()) {
      @Override
      public void sendOffsetsToTransaction(
          Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group) {
        Map<TopicPartition, OffsetAndMetadata> moving = new HashMap<>(offsets);
        moving.keySet().removeIf(AdmissionClients.this::isHalted);
        super.sendOffsetsToTransaction(moving, group);
      }
    };
  }

  private boolean isHalted(TopicPartition source) {
    OwnedPartition partition =
        source.topic().equals(entries) ? owned.get(source.partition()) : null;
    return partition != null && partition.haltedBecause() != null;
  }

  @Override
  public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
    return consumer(config);
  }

  @Override
  public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
    return consumer(config);
  }

  @Override
  public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
    return consumer(config);
  }

  private static Consumer<byte[], byte[]> consumer(Map<String, Object> config) {
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }
}
