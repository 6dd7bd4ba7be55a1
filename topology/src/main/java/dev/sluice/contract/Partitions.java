package dev.sluice.contract;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;

/** Which partition a key belongs to: as Kafka's producer decides for a keyed record. */
public final class Partitions {
  private Partitions() {}

  /**
   * @param count partitions of the topic
   * @return 0 to {@code count - 1}
   */
  public static int of(String key, int count) {
    return of(key.getBytes(StandardCharsets.UTF_8), count);
  }

  /** As {@link #of(String, int)} for the bytes of a key. */
  public static int of(byte[] key, int count) {
    return BuiltInPartitioner.partitionForKey(key, count);
  }
}
