package dev.sluice.query;

import java.util.concurrent.Executor;

/**
 * A partition owned by this process with what is kept of its records.
 *
 * @param <R> reads what is kept; thread-safe
 */
public final class OwnedPart<R> extends OwnedLog {
  private final R reader;

  /**
   * @param maxWaiters most callers that may wait at once
   * @param answers runs what callers do with their answers
   */
  public OwnedPart(int partition, R reader, int maxWaiters, Executor answers) {
    super(partition, -1, maxWaiters, answers);
    this.reader = reader;
  }

  public R reader() {
    return reader;
  }
}
