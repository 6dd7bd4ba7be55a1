package dev.sluice.admission;

import dev.sluice.contract.Command;

/**
 * Decides who is admitted: applies the commands of one partition in log order to an {@link
 * AdmissionState}. What it does follows from the state, the command, its offset and its append time
 * alone. Used by one thread; what others read of the state is published by the time {@link #apply}
 * returns.
 *
 * <p>Any exception is a fault of the program. It may leave the state in memory half changed, so the
 * state must be thrown away.
 */
public final class AdmissionMachine {
  /** The highest version of the rules that this program knows. */
  public static final int KNOWN_RULES = 1;

  private final AdmissionState state;

  public AdmissionMachine(AdmissionState state) {
    this.state = state;
  }

  /** Applies the command at {@code offset}, appended at {@code timestamp} (ms since the epoch). */
  public Step apply(long offset, long timestamp, Command command) {
    return new Step.Gap(state.appliedOffset() + 1, offset);
  }

  /**
   * Applies a record that holds no command: what is due happens, and the record is rejected.
   *
   * @param roomId as far as it could be read, or null
   * @param requestId as far as it could be read, or null
   * @param detail what is wrong with it, in words
   */
  public Step applyInvalid(
      long offset, long timestamp, String roomId, String requestId, String detail) {
    return new Step.Gap(state.appliedOffset() + 1, offset);
  }

  /**
   * How long after the last applied record's append time a tick is wanted if nothing else comes, in
   * milliseconds: 0 for at once, {@link Long#MAX_VALUE} for never. Measure it from when that record
   * was seen, by a clock that isn't set, rather than against the brokers' time of day.
   */
  public long dueInMillis() {
    return Long.MAX_VALUE;
  }
}
