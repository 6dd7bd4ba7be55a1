package dev.sluice.streams;

import dev.sluice.query.Address;
import dev.sluice.query.Owners;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
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

  /**
   * Whether each partition has an owner, and this process holds those that are its own. One that a
   * stream thread has just lost is still assigned to it, but not open.
   *
   * @param here where others reach this process; null: it is alone
   * @param held whether it holds a partition
   */
  public boolean holds(Address here, int partitions, IntPredicate held) {
    if (here == null) {
      return IntStream.range(0, partitions).allMatch(held);
    }
    Map<Integer, Address> assigned = all();
    return assigned.size() == partitions
        && assigned.entrySet().stream()
            .allMatch(to -> !to.getValue().equals(here) || held.test(to.getKey()));
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
