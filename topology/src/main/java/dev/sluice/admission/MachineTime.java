package dev.sluice.admission;

/**
 * The time of a command: append time less a skew, so chosen that it never runs backwards, that a
 * clock which jumps neither ends nor freezes anyone's time, and that a clock which merely wavers
 * changes nothing.
 *
 * @param now machine time in milliseconds
 * @param skew what append times are ahead of it
 */
record MachineTime(long now, long skew) {
  /** A step of the clock by more than this is a jump, in milliseconds. */
  static final long JUMP_MILLIS = 60_000;

  /**
   * The time of a command appended at {@code timestamp}, after {@code before}. A jump forward is
   * real time gone by as far as anyone can tell, so it counts when nobody has a place to lose.
   */
  static MachineTime at(long timestamp, PartitionRecord before, boolean anyoneLiving) {
    long passed = timestamp - before.skew() - before.time();
    if (passed < -JUMP_MILLIS || (passed > JUMP_MILLIS && anyoneLiving)) {
      return new MachineTime(before.time(), timestamp - before.time());
    }
    return new MachineTime(before.time() + Math.max(0, passed), before.skew());
  }
}
