package dev.sluice.query;

import java.util.Collection;
import java.util.concurrent.ConcurrentSkipListMap;

/** The partitions this process owns, in order. Thread-safe. */
public final class OwnedPartitions {
  private final ConcurrentSkipListMap<Integer, OwnedPartition> owned =
      new ConcurrentSkipListMap<>();

  /** Takes a partition over; an earlier taking of the same one ends. */
  public void opened(OwnedPartition partition) {
    OwnedPartition before = owned.put(partition.partition(), partition);
    if (before != null) {
      before.close();
    }
  }

  /** Gives a partition up. */
  public void closed(OwnedPartition partition) {
    owned.remove(partition.partition(), partition);
    partition.close();
  }

  /** The partition, or null when this process doesn't own it. */
  public OwnedPartition get(int partition) {
    return owned.get(partition);
  }

  public Collection<OwnedPartition> all() {
    return owned.values();
  }
}
