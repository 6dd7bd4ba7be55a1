package dev.sluice.streams;

import dev.sluice.query.Address;
import dev.sluice.query.Owners;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsMetadata;

/** The owners as the group's last assignment says, which every member of it knows. */
public final class StreamsOwners implements Owners {
  private static final long FRESH_NANOS = 100_000_000L;

  private final String topic;
  private volatile KafkaStreams streams;
  private volatile Map<Integer, Address> known = Map.of();
  private volatile long lookedNanos = System.nanoTime() - FRESH_NANOS;

  /**
   * @param topic whose partitions are owned
   */
  public StreamsOwners(String topic) {
    this.topic = topic;
  }

  /** From now on {@code application} is asked; before, nobody is known. */
  public void askedOf(StreamsApplication application) {
    streams = application.streams();
  }

  @Override
  public Map<Integer, Address> all() {
    long now = System.nanoTime();
    if (now - lookedNanos >= FRESH_NANOS) {
      lookedNanos = now;
      known = look();
    }
    return known;
  }

  private Map<Integer, Address> look() {
    KafkaStreams asked = streams;
    if (asked == null || !asked.state().isRunningOrRebalancing()) {
      return Map.of();
    }
    Map<Integer, Address> owners = new HashMap<>();
    for (StreamsMetadata instance : asked.metadataForAllStreamsClients()) {
      Address address = new Address(instance.host(), instance.port());
      for (TopicPartition owned : instance.topicPartitions()) {
        if (owned.topic().equals(topic)) {
          owners.put(owned.partition(), address);
        }
      }
    }
    return Map.copyOf(owners);
  }
}
