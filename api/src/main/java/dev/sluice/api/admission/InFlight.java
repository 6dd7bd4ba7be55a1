package dev.sluice.api.admission;

import java.util.concurrent.atomic.AtomicInteger;

/** How many calls are under way, with a limit that keeps a herd from piling up. Thread-safe. */
public final class InFlight {
  private final int limit;
  private final AtomicInteger count = new AtomicInteger();

  /**
   * @throws IllegalArgumentException if {@code limit} is below 1
   */
  public InFlight(int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("at least 1 call must be allowed, not " + limit);
    }
    this.limit = limit;
  }

  /** Takes a place; false when all are taken. */
  boolean begin() {
    if (count.incrementAndGet() > limit) {
      count.decrementAndGet();
      return false;
    }
    return true;
  }

  /** Gives back a place that {@link #begin} gave. */
  void end() {
    count.decrementAndGet();
  }

  /** Calls under way now. */
  public int count() {
    return count.get();
  }
}
