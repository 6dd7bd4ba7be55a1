package dev.sluice.hot;

/**
 * The time by which a partition's records are appended, between and beyond them: a clock of this
 * process that never steps, moved by as much as the append times lead it. No producer's clock has a
 * say, and neither has one broker whose clock is ahead of the others'.
 *
 * <p>The lead is the greatest seen in the last 10 to 20 seconds, since a record that was late to
 * arrive leads less. One that leads it by more than {@link #TOLERANCE_MILLIS} is wild; only when
 * for a whole period all are, it is the clock of the broker that has moved. Not thread-safe.
 */
final class BrokerClock {
  /** How far ahead of this clock an append time or a slot may be. */
  static final long TOLERANCE_MILLIS = 2_000;

  static final long PERIOD_MILLIS = 10_000;

  private static final long NONE = Long.MIN_VALUE;

  private long periodBegan = NONE;

  /** Until seen otherwise the clocks agree: what waited for this process to start is late. */
  private long leadBefore;

  private long leadNow = NONE;
  private long wildLead = NONE;
  private long lead;

  /**
   * Takes notice of a record.
   *
   * @param appended its append time
   * @param steady milliseconds by this process' clock
   * @return false if it is wild
   */
  boolean observe(long appended, long steady) {
    turn(steady);
    long observed = appended - steady;
    // After a pause the first records are those that waited: what follows them isn't wild.
    if (observed > Math.max(lead, 0) + TOLERANCE_MILLIS) {
      wildLead = Math.max(wildLead, observed);
      return false;
    }
    leadNow = Math.max(leadNow, observed);
    lead = Math.max(leadNow, leadBefore);
    return true;
  }

  /** The time, in milliseconds since the epoch. */
  long now(long steady) {
    turn(steady);
    return steady + lead;
  }

  private void turn(long steady) {
    if (periodBegan == NONE) {
      periodBegan = steady;
    }
    if (steady - periodBegan < PERIOD_MILLIS) {
      return;
    }
    boolean allWild = leadNow == NONE && wildLead != NONE;
    leadBefore = allWild ? wildLead : leadNow;
    leadNow = NONE;
    wildLead = NONE;
    periodBegan = steady;
    // Nothing for a whole period: the last was perhaps a backlog.
    lead = leadBefore == NONE ? Math.max(lead, 0) : leadBefore;
  }
}
