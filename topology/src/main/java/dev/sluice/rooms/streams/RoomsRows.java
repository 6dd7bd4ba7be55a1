package dev.sluice.rooms.streams;

import dev.sluice.rooms.KeptRows;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/** The rows of a partition in its store. */
final class RoomsRows implements KeptRows {
  private final KeyValueStore<Bytes, byte[]> store;

  RoomsRows(KeyValueStore<Bytes, byte[]> store) {
    this.store = store;
  }

  @Override
  public byte[] get(byte[] key) {
    return store.get(Bytes.wrap(key));
  }

  @Override
  public void put(byte[] key, byte[] value) {
    store.put(Bytes.wrap(key), value);
  }

  @Override
  public void delete(byte[] key) {
    store.delete(Bytes.wrap(key));
  }

  @Override
  public void scan(byte[] from, byte[] to, Visitor visitor) {
    Bytes end = Bytes.wrap(to);
    try (KeyValueIterator<Bytes, byte[]> rows = store.range(Bytes.wrap(from), end)) {
      while (rows.hasNext()) {
        KeyValue<Bytes, byte[]> row = rows.next();
        // The store's range includes its end.
        if (row.key.equals(end) || !visitor.visit(row.key.get(), row.value)) {
          return;
        }
      }
    }
  }
}
