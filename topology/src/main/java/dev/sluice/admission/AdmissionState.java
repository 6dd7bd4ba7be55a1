package dev.sluice.admission;

/**
 * All that is known of one partition: rooms, the people in them, the settings in force. Changed by
 * its {@link AdmissionMachine} alone; read through an {@link AdmissionReader} by any thread.
 */
public final class AdmissionState {
  private final int partition;
  private final EndedPeople ended;

  /** The state before the first command of the log. */
  public AdmissionState(int partition, EndedPeople ended) {
    this.partition = partition;
    this.ended = ended;
  }

  public int partition() {
    return partition;
  }

  /** Offset of the last command applied, -1 for none. Any thread may ask. */
  public long appliedOffset() {
    return -1;
  }

  /**
   * Hands over what has changed since the last call. For the machine's thread, between commands.
   */
  public void drainTo(Changes changes) {
    changes.partition(ended == null ? null : PartitionRecord.FRESH);
  }
}
