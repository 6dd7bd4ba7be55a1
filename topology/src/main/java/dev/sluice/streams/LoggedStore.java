package dev.sluice.streams;

import java.util.Map;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/** A persistent store of bytes with a changelog and without a cache: the heap is the cache. */
public final class LoggedStore {
  private LoggedStore() {}

  public static StoreBuilder<KeyValueStore<Bytes, byte[]>> named(String name) {
    return Stores.keyValueStoreBuilder(
            Stores.persistentKeyValueStore(name), Serdes.Bytes(), Serdes.ByteArray())
        .withCachingDisabled()
        .withLoggingEnabled(Map.of());
  }
}
