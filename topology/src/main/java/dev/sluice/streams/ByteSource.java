package dev.sluice.streams;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.TimestampExtractor;

/**
 * A source of bytes, from the beginning of a topic: every record reaches its processor, whatever is
 * in it, where a deserializer that fails would keep one away.
 */
public final class ByteSource {
  private ByteSource() {}

  /** Adds it to a topology. */
  public static Topology add(Topology topology, String name, String topic) {
    return topology.addSource(
        AutoOffsetReset.earliest(),
        name,
        new AppendTime(),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer(),
        topic);
  }

  /**
   * The append time of a record. One without a sensible time has time zero rather than being
   * dropped by Kafka Streams, so that its processor sees its offset.
   */
  private static final class AppendTime implements TimestampExtractor {
    @Override
    public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
      return Math.max(0, record.timestamp());
    }
  }
}
