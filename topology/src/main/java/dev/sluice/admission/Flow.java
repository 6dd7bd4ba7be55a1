package dev.sluice.admission;

import java.util.Arrays;

/**
 * How many people passed in each of the last sixty seconds. Immutable.
 *
 * <p>The rate weighs a second the less the older it is, so that it falls promptly when the flow
 * slows down.
 */
public final class Flow {
  /** Nobody has passed. */
  public static final Flow NONE = new Flow(0, 0, new int[0]);

  /** Seconds that are remembered. */
  public static final int SECONDS = 60;

  /** No rate can be told: nobody passed in the last minute. */
  public static final double UNKNOWN = -1;

  /** A shorter observation than this many seconds is taken for one so long. */
  private static final int LEAST_OBSERVED = 10;

  private final long since;
  private final long last;

  /** Second s is at {@code s % SECONDS}, for the minute that ends with {@code last}. */
  private final int[] counts;

  private Flow(long since, long last, int[] counts) {
    this.since = since;
    this.last = last;
    this.counts = counts;
  }

  /**
   * A flow as read back.
   *
   * @param since the second in which it began, after a minute without any
   * @param last the last second in which anyone passed
   * @param counts second s at {@code s % SECONDS}; empty if nobody ever passed
   */
  public static Flow of(long since, long last, int[] counts) {
    return counts.length == 0 ? NONE : new Flow(since, last, Arrays.copyOf(counts, SECONDS));
  }

  /** The second in which it began, after a minute without any. */
  public long since() {
    return since;
  }

  /** The last second in which anyone passed. */
  public long last() {
    return last;
  }

  /** A copy of the counts, second s at {@code s % SECONDS}; empty if nobody ever passed. */
  public int[] counts() {
    return counts.clone();
  }

  /** This flow and one who passes at {@code millis}, which isn't before the last one. */
  Flow plusOne(long millis) {
    long second = Math.floorDiv(millis, 1000L);
    if (counts.length == 0 || second - last >= SECONDS) {
      int[] fresh = new int[SECONDS];
      fresh[slot(second)] = 1;
      return new Flow(second, second, fresh);
    }
    int[] changed = counts.clone();
    for (long s = last + 1; s <= second; s++) {
      changed[slot(s)] = 0;
    }
    changed[slot(second)]++;
    return new Flow(since, second, changed);
  }

  /** People who passed in the minute up to {@code millis}. */
  public long lastMinute(long millis) {
    long now = Math.floorDiv(millis, 1000L);
    long sum = 0;
    for (long s = oldest(now); s <= last && counts.length > 0; s++) {
      sum += counts[slot(s)];
    }
    return sum;
  }

  /** People passing in a minute, by the minute up to {@code millis}; or {@link #UNKNOWN}. */
  public double perMinute(long millis) {
    long now = Math.max(last, Math.floorDiv(millis, 1000L));
    long weighted = 0;
    for (long s = oldest(now); s <= last && counts.length > 0; s++) {
      weighted += counts[slot(s)] * weight(now - s);
    }
    if (weighted == 0) {
      return UNKNOWN;
    }
    long observed = Math.min(SECONDS, Math.max(LEAST_OBSERVED, now - since + 1));
    long weights = observed * (weight(0) + weight(observed - 1)) / 2;
    return 60.0 * weighted / weights;
  }

  private long oldest(long now) {
    return Math.max(now, last) - SECONDS + 1;
  }

  private static long weight(long age) {
    return SECONDS - age;
  }

  private static int slot(long second) {
    return (int) Math.floorMod(second, (long) SECONDS);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Flow flow
        && since == flow.since
        && last == flow.last
        && Arrays.equals(counts, flow.counts);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(last) * 31 + Arrays.hashCode(counts);
  }

  @Override
  public String toString() {
    return "Flow[since=" + since + ", last=" + last + ", counts=" + Arrays.toString(counts) + "]";
  }
}
