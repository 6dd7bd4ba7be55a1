package dev.sluice.rooms;

/**
 * What the clock of the brokers shows, as told by the append times of records. A record can't be
 * seen before it is appended, so the clock of the brokers is at least so far ahead of this one; one
 * that comes after a while of nothing has just been appended, and then the difference is right.
 */
public final class AppendClock {
  private long aheadMillis;
  private boolean quiet;

  /** A record has come. */
  public void seen(long appendTime, long here) {
    long ahead = appendTime - here;
    if (quiet || ahead > aheadMillis) {
      aheadMillis = ahead;
    }
    quiet = false;
  }

  /** No record is waiting, and none has come for a while. */
  public void quiet() {
    quiet = true;
  }

  /** The time of the brokers' clock when this one shows {@code here}. */
  public long at(long here) {
    return Math.max(0, here + aheadMillis);
  }
}
