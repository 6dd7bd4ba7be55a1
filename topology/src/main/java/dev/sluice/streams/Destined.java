package dev.sluice.streams;

import dev.sluice.log.DeadLetter;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.StreamPartitioner;
import org.apache.kafka.streams.processor.api.Record;

/**
 * The key of a record on its way to a topic, with the partition it is to go to.
 *
 * @param key as it will be written, or null
 */
@SuppressWarnings("ArrayRecordComponent") // written at once, never compared
public record Destined(Set<Integer> partition, byte[] key) {
  private static final Set<Integer> DEAD_LETTERS_PARTITION = Set.of(0);

  /** Adds a sink for records with such keys. */
  public static Topology addSink(Topology topology, String name, String topic, String... parents) {
    return topology.addSink(
        name, topic, new KeySerializer(), new ByteArraySerializer(), new Partitioner(), parents);
  }

  /** The record for {@code sluice.dlq} of one that can't be used. */
  public static Record<Destined, byte[]> deadLetter(
      Record<byte[], byte[]> record, DeadLetter.Origin origin, String reason) {
    return new Record<>(
        new Destined(DEAD_LETTERS_PARTITION, DeadLetter.kept(record.key())),
        DeadLetter.kept(record.value()),
        record.timestamp(),
        DeadLetter.headers(record.headers(), record.value(), reason, origin));
  }

  /** Writes the key. */
  private static final class KeySerializer implements Serializer<Destined> {
    @Override
    public byte[] serialize(String topic, Destined destined) {
      return destined.key();
    }
  }

  /** Follows the partition. */
  private static final class Partitioner implements StreamPartitioner<Destined, byte[]> {
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
