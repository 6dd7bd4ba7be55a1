package dev.sluice.rooms.streams;

import dev.sluice.rooms.KeptRows;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The rows of a partition in its store. The thread that made it does everything; others may get
 * values until the store is about to be closed, which RocksDB survives only with nobody inside.
 */
final class RoomsRows implements KeptRows {
  private final KeyValueStore<Bytes, byte[]> store;
  private final Thread owner = Thread.currentThread();
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private boolean closedToOthers;

  RoomsRows(KeyValueStore<Bytes, byte[]> store) {
    this.store = store;
  }

  @Override
  public byte[] get(byte[] key) {
    if (Thread.currentThread() == owner) {
      return store.get(Bytes.wrap(key));
    }
    lock.readLock().lock();
    try {
      if (closedToOthers) {
        throw new IllegalStateException("the store is being closed");
      }
      return store.get(Bytes.wrap(key));
    } finally {
      lock.readLock().unlock();
    }
  }

  /** From now on no other thread is inside the store. */
  void closeToOthers() {
    lock.writeLock().lock();
    try {
      closedToOthers = true;
    } finally {
      lock.writeLock().unlock();
    }
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
