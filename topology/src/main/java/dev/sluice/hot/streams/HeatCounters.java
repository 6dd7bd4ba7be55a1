package dev.sluice.hot.streams;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** What the heat processors of this process have done since it started. Thread-safe. */
public final class HeatCounters {
  private static final int RECENT = 1_000;

  private final LongAdder sums = new LongAdder();
  private final LongAdder audiences = new LongAdder();
  private final LongAdder turns = new LongAdder();
  private final LongAdder invalid = new LongAdder();
  private final long[] decisionMillis = new long[RECENT];
  private int decisions;

  void sum() {
    sums.increment();
  }

  void audience() {
    audiences.increment();
  }

  void invalid() {
    invalid.increment();
  }

  /** A room became hot or cooled, {@code millis} after the record that caused it was appended. */
  synchronized void turn(long millis) {
    turns.increment();
    decisionMillis[decisions++ % RECENT] = Math.max(0, millis);
  }

  public long sums() {
    return sums.sum();
  }

  public long audiences() {
    return audiences.sum();
  }

  public long turns() {
    return turns.sum();
  }

  public long invalidRecords() {
    return invalid.sum();
  }

  /** How long the last turns took, from the append of their cause, sorted. */
  public synchronized List<Long> decisionMillis() {
    return Arrays.stream(decisionMillis, 0, Math.min(decisions, RECENT)).sorted().boxed().toList();
  }
}
