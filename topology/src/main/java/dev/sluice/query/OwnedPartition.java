package dev.sluice.query;

import dev.sluice.admission.AdmissionReader;
import dev.sluice.admission.AdmissionState;
import dev.sluice.query.QueryException.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * A partition of {@code sluice.entries} owned by this process: its state, what the last commands
 * did, and when it wants a tick.
 */
public final class OwnedPartition extends OwnedLog {
  private static final long NEVER = Long.MIN_VALUE;

  private final AdmissionState state;
  private final AdmissionReader reader;
  private final AtomicReferenceArray<Answer> recent;

  private volatile long tickDueNanos = NEVER;

  /**
   * @param state which this owner holds
   * @param recentResults how many of the last results are kept; a power of two
   * @param maxWaiters most callers that may wait at once
   * @param answers runs what callers do with their answers
   */
  public OwnedPartition(
      int partition, AdmissionState state, int recentResults, int maxWaiters, Executor answers) {
    super(partition, state.appliedOffset(), maxWaiters, answers);
    if (Integer.bitCount(recentResults) != 1) {
      throw new IllegalArgumentException("not a power of two: " + recentResults);
    }
    this.state = state;
    this.reader = new AdmissionReader(state);
    this.recent = new AtomicReferenceArray<>(recentResults);
  }

  /** Whether it is ready and wants a tick at {@code nowNanos}. */
  public boolean wantsTick(long nowNanos) {
    long due = tickDueNanos;
    return isReady() && haltedBecause() == null && due != NEVER && nowNanos - due >= 0;
  }

  int rulesVersion() {
    return state.partitionRecord().rulesVersion();
  }

  AdmissionReader reader() {
    return reader;
  }

  /**
   * A command has been applied and its state published. Stream thread only.
   *
   * @param dueInMillis when a tick is wanted if nothing else comes; {@link Long#MAX_VALUE}: never
   */
  public void applied(Answer answer, long dueInMillis) {
    long offset = answer.offset();
    tickDueNanos =
        dueInMillis == Long.MAX_VALUE
            ? NEVER
            : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(dueInMillis);
    recent.setRelease((int) offset & (recent.length() - 1), answer);
    applied(offset);
  }

  /** Halts: no decision is right without the commands between. */
  @Override
  protected void beginsBeyond(long begin) {
    if (needsLogEnd()) {
      halt(
          "The log of partition "
              + partition()
              + " begins at offset "
              + begin
              + " but the state ends at "
              + applied()
              + ": the commands between are lost.");
    }
  }

  /** What the command at {@code offset} did, once it is applied. */
  CompletableFuture<Answer> await(long offset, Duration atMost) {
    return whenApplied(offset, atMost, Kind.TIMED_OUT, () -> answer(offset));
  }

  private Answer answer(long offset) {
    Answer answer = recent.getAcquire((int) offset & (recent.length() - 1));
    return answer != null && answer.offset() == offset
        ? answer
        : new Answer(partition(), offset, Answer.Result.DONE, null, null);
  }
}
