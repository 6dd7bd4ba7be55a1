package dev.sluice.admission.streams;

import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/** Key-value stores without a Kafka around them. */
final class InMemory {
  private InMemory() {}

  /** A store in the heap. */
  static KeyValueStore<Bytes, byte[]> store() {
    return Stores.inMemoryKeyValueStore("in-memory").get();
  }
}
