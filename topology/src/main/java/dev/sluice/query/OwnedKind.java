package dev.sluice.query;

/** What of a partition a process may own: each kind moves between processes by itself. */
public enum OwnedKind {
  /** A partition of {@code sluice.entries}. */
  ADMISSION,
  /** A partition of {@code sluice.room-events} and of {@code sluice.joins}. */
  ROOMS,
  /** A partition of {@code sluice.room-counts}. */
  HEAT
}
