package dev.sluice.query;

import java.util.Collection;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The partitions of one topic that this process owns, in order. Thread-safe.
 *
 * @param <P> what it holds of each
 */
public class OwnedLogs<P extends OwnedLog> {
  private final ConcurrentSkipListMap<Integer, P> owned = new ConcurrentSkipListMap<>();

  /** Takes a partition over; an earlier taking of the same one ends. */
  public void opened(P partition) {
    P before = owned.put(partition.partition(), partition);
    if (before != null) {
      before.close();
    }
  }

  /** Gives a partition up. */
  public void closed(P partition) {
    owned.remove(partition.partition(), partition);
    partition.close();
  }

  /** The partition, or null when this process doesn't own it. */
  public P get(int partition) {
    return owned.get(partition);
  }

  public Collection<P> all() {
    return owned.values();
  }

  /** Lets go of callers whose deadline has come. */
  public void expireWaiters(long nowNanos) {
    owned.values().forEach(partition -> partition.expireWaiters(nowNanos));
  }
}
