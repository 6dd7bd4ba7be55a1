package dev.sluice.notifier.connection;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How many may come a second: a bucket of one second's worth of tokens that fills evenly. All its
 * state is when it will be full again; each token taken moves that on by the time that a token
 * takes to grow. Thread-safe, without a lock.
 */
public final class Rate {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final LongSupplier nanos;
  private final long perToken;
  private final long emptiest;
  private final AtomicLong fullAt;

  /**
   * @param perSecond from 1 to 1,000,000
   * @param nanos a clock that only goes forward, in nanoseconds
   */
  public Rate(int perSecond, LongSupplier nanos) {
    this.nanos = nanos;
    this.perToken = (SECOND + perSecond - 1) / perSecond;
    this.emptiest = perToken * perSecond;
    this.fullAt = new AtomicLong(nanos.getAsLong());
  }

  /** Takes a token; false if there is none. */
  boolean take() {
    while (true) {
      long now = nanos.getAsLong();
      long present = fullAt.get();
      long next = (present - now > 0 ? present : now) + perToken;
      if (next - now > emptiest) {
        return false;
      }
      if (fullAt.compareAndSet(present, next)) {
        return true;
      }
    }
  }
}
