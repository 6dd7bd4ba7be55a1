package dev.sluice.api.admission;

/** How soon someone who waits should ask again. */
final class PollingInterval {
  /** The shortest, in milliseconds: for the first, and for who isn't placed yet. */
  static final int SHORTEST = 2000;

  private static final long FIRST_FEW = 10;

  private PollingInterval() {}

  /**
   * Milliseconds for {@code rank} (1-based) of {@code totalWaiting}: below 1 % of the queue 2000,
   * below 10 % 5000, below 50 % 10000, else 15000; the first ten always 2000.
   */
  static int of(long rank, long totalWaiting) {
    if (rank <= FIRST_FEW || rank < totalWaiting / 100.0) {
      return SHORTEST;
    }
    if (rank < totalWaiting / 10.0) {
      return 5000;
    }
    return rank < totalWaiting / 2.0 ? 10_000 : 15_000;
  }
}
