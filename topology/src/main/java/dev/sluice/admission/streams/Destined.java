package dev.sluice.admission.streams;

import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.processor.StreamPartitioner;

/**
 * The key of a record on its way to a topic, with the partition it is to go to.
 *
 * @param key as it will be written, or null
 */
@SuppressWarnings("ArrayRecordComponent") // written at once, never compared
record Destined(Set<Integer> partition, byte[] key) {
  /** Writes the key. */
  static final class KeySerializer implements Serializer<Destined> {
    @Override
    public byte[] serialize(String topic, Destined destined) {
      return destined.key();
    }
  }

  /** Follows the partition. */
  static final class Partitioner implements StreamPartitioner<Destined, byte[]> {
    @Override
    public Optional<Set<Integer>> partitions(
        String topic, Destined destined, byte[] value, Headers headers, int partitions) {
      return Optional.of(destined.partition());
    }

    @Override
    @SuppressWarnings("removal")
    public Optional<Set<Integer>> partitions(
        String topic, Destined destined, byte[] value, int partitions) {
      return Optional.of(destined.partition());
    }
  }
}
