package dev.sluice.hot.streams;

import java.util.concurrent.atomic.LongAdder;

/** What the heat processors of this process have done since it started. Thread-safe. */
public final class HeatCounters {
  private final LongAdder sums = new LongAdder();
  private final LongAdder audiences = new LongAdder();
  private final LongAdder turns = new LongAdder();
  private final LongAdder invalid = new LongAdder();

  void sum() {
    sums.increment();
  }

  void audience() {
    audiences.increment();
  }

  void turn() {
    turns.increment();
  }

  void invalid() {
    invalid.increment();
  }

  /** Sums applied. */
  public long sums() {
    return sums.sum();
  }

  /** Audiences applied. */
  public long audiences() {
    return audiences.sum();
  }

  /** Rooms that became hot or cooled. */
  public long turns() {
    return turns.sum();
  }

  /** Records that were neither. */
  public long invalidRecords() {
    return invalid.sum();
  }
}
