package dev.sluice.api.rooms;

import java.util.Arrays;

/**
 * The joins accepted in one room, by tenth of a second, and whether there may be one more: in no
 * stretch of time as long as the window are there ever more than the threshold. Plain decision:
 * time is told. Not thread-safe.
 */
final class JoinBucket {
  /** Length of what is counted together. */
  static final long TENTH_MILLIS = 100;

  /** The longest window there is. */
  static final int MAX_WINDOW_SECONDS = 60;

  private static final int TENTHS = 10;

  /** Tenths in which there were joins, oldest first, from {@code first} round the end. */
  private long[] tenths = new long[2];

  private int[] counts = new int[2];
  private int first;
  private int size;

  /**
   * Takes a place if there is one.
   *
   * @param nowMillis by a clock that never goes back
   * @param windowSeconds from 1 to {@link #MAX_WINDOW_SECONDS}
   * @param threshold from 1
   * @return 0 if it was taken, else after how many milliseconds there will be one if nobody else
   *     takes it
   */
  long take(long nowMillis, int windowSeconds, int threshold) {
    long now = Math.floorDiv(nowMillis, TENTH_MILLIS);
    forgetBefore(now - (long) MAX_WINDOW_SECONDS * TENTHS);
    // A window that begins within a tenth has all of that tenth in it.
    long from = now - (long) windowSeconds * TENTHS;
    long taken = 0;
    for (int i = size - 1; i >= 0 && tenths[at(i)] >= from; i--) {
      taken += counts[at(i)];
      if (taken >= threshold) {
        // Once this tenth has left the window, those after it are fewer than the threshold.
        long free = tenths[at(i)] + (long) windowSeconds * TENTHS + 1;
        return free * TENTH_MILLIS - nowMillis;
      }
    }
    add(now);
    return 0;
  }

  /** Gives back a place that was taken at {@code takenMillis}, unless that is forgotten. */
  void giveBack(long takenMillis) {
    long tenth = Math.floorDiv(takenMillis, TENTH_MILLIS);
    for (int i = size - 1; i >= 0 && tenths[at(i)] >= tenth; i--) {
      if (tenths[at(i)] == tenth && counts[at(i)] > 0) {
        counts[at(i)]--;
      }
    }
  }

  /** Joins in the window that ends now. */
  long taken(long nowMillis, int windowSeconds) {
    long from = Math.floorDiv(nowMillis, TENTH_MILLIS) - (long) windowSeconds * TENTHS;
    long taken = 0;
    for (int i = size - 1; i >= 0 && tenths[at(i)] >= from; i--) {
      taken += counts[at(i)];
    }
    return taken;
  }

  private void add(long tenth) {
    if (size > 0 && tenths[at(size - 1)] == tenth) {
      counts[at(size - 1)]++;
      return;
    }
    if (size == tenths.length) {
      grow();
    }
    tenths[at(size)] = tenth;
    counts[at(size)] = 1;
    size++;
  }

  private void forgetBefore(long tenth) {
    while (size > 0 && tenths[first] < tenth) {
      first = at(1);
      size--;
    }
  }

  private void grow() {
    long[] moreTenths = Arrays.copyOf(tenths, tenths.length * 2);
    int[] moreCounts = Arrays.copyOf(counts, counts.length * 2);
    for (int i = 0; i < size; i++) {
      moreTenths[i] = tenths[at(i)];
      moreCounts[i] = counts[at(i)];
    }
    tenths = moreTenths;
    counts = moreCounts;
    first = 0;
  }

  private int at(int index) {
    return (first + index) % tenths.length;
  }
}
