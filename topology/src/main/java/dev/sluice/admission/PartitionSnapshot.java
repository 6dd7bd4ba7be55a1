package dev.sluice.admission;

/** A partition as it was after a command: what readers see. Immutable. */
record PartitionSnapshot(PartitionRecord record, AdmissionSettings settings) {
  /** Readers don't run ahead of the last command by more than this, whatever their clock says. */
  private static final long AHEAD_MILLIS = 60_000;

  long appliedOffset() {
    return record.appliedOffset();
  }

  boolean configured() {
    return record.configured();
  }

  long skew() {
    return record.skew();
  }

  /** Machine time when a reader's clock shows {@code wall}. */
  long timeAt(long wall) {
    long time = record.time();
    return Math.max(time, Math.min(wall - record.skew(), time + AHEAD_MILLIS));
  }
}
