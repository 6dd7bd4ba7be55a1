package dev.sluice.api.exchange;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many calls are under way and how much of their answers waits for slow readers, with limits
 * that keep a herd from piling up. Thread-safe.
 */
public final class InFlight {
  /** Most bytes of large answers on their way. */
  static final long MAX_BYTES = 64L << 20;

  private final int limit;
  private final AtomicInteger count = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();

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

  /** Takes room for a large answer; false when there is none. */
  boolean beginWriting(int length) {
    if (bytes.addAndGet(length) > MAX_BYTES) {
      bytes.addAndGet(-length);
      return false;
    }
    return true;
  }

  /** Gives back what {@link #beginWriting} gave. */
  void endWriting(int length) {
    bytes.addAndGet(-length);
  }

  /** Calls under way now. */
  public int count() {
    return count.get();
  }
}
