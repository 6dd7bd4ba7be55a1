package dev.sluice.query;

import java.util.Collection;
import java.util.concurrent.ConcurrentSkipListMap;

/** The partitions of {@code sluice.room-counts} that this process owns, in order. Thread-safe. */
public final class OwnedHeats {
  private final ConcurrentSkipListMap<Integer, OwnedHeat> owned = new ConcurrentSkipListMap<>();

  /** Takes a partition over, from an earlier taking of the same one too. */
  public void opened(OwnedHeat partition) {
    owned.put(partition.partition(), partition);
  }

  /** Gives a partition up. */
  public void closed(OwnedHeat partition) {
    owned.remove(partition.partition(), partition);
  }

  /** The partition, or null when this process doesn't own it. */
  public OwnedHeat get(int partition) {
    return owned.get(partition);
  }

  public Collection<OwnedHeat> all() {
    return owned.values();
  }
}
