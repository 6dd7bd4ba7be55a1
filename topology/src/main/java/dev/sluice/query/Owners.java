package dev.sluice.query;

import java.util.Map;

/** Who owns which partition, as far as known. Thread-safe. */
public interface Owners {
  /** Nobody is known. */
  Owners NONE = Map::of;

  /** The owners known, by partition; may be a moment old. */
  Map<Integer, Address> all();

  /** What is known has shown itself to be wrong. */
  default void refresh() {}
}
