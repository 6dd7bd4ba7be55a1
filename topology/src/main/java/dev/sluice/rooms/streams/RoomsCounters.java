package dev.sluice.rooms.streams;

import java.util.concurrent.atomic.LongAdder;

/** What the rooms application has done since the process started. Thread-safe. */
public final class RoomsCounters {
  private final LongAdder summed = new LongAdder();
  private final LongAdder sums = new LongAdder();
  private final LongAdder fed = new LongAdder();
  private final LongAdder memberships = new LongAdder();
  private final LongAdder invalid = new LongAdder();

  void summed() {
    summed.increment();
  }

  void sum() {
    sums.increment();
  }

  void fed() {
    fed.increment();
  }

  void membership() {
    memberships.increment();
  }

  void invalid() {
    invalid.increment();
  }

  /** Events summed. */
  public long eventsSummed() {
    return summed.sum();
  }

  /** Sums sent. */
  public long sumsSent() {
    return sums.sum();
  }

  /** Messages kept for fetching. */
  public long eventsFed() {
    return fed.sum();
  }

  /** Joins and leaves applied. */
  public long memberships() {
    return memberships.sum();
  }

  public long invalidRecords() {
    return invalid.sum();
  }
}
