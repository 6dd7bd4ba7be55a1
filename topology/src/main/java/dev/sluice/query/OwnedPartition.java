package dev.sluice.query;

import dev.sluice.admission.AdmissionReader;
import dev.sluice.admission.AdmissionState;
import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.SystemView.PartitionStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * A partition owned by this process, from taking over to giving up: how far its commands are
 * applied, what the last ones did, and who waits for which.
 *
 * <p>One stream thread writes; any thread reads and waits. Nothing is answered before the partition
 * has applied the log up to its end as it stood after the takeover.
 */
public final class OwnedPartition {
  private static final long UNKNOWN = -1;
  private static final long NEVER = Long.MIN_VALUE;

  /** Where those wait who came before this partition was ready; no command has this offset. */
  private static final long UNTIL_READY = Long.MAX_VALUE;

  private final int partition;
  private final AdmissionState state;
  private final AdmissionReader reader;
  private final OffsetWaiters waiters;
  private final AtomicReferenceArray<Answer> recent;

  private volatile long applied;
  private volatile long logEnd = UNKNOWN;
  private volatile long tickDueNanos = NEVER;
  private volatile boolean ready;
  private volatile QueryException stopped;
  private volatile String haltedBecause;

  /**
   * @param state which this owner holds
   * @param recentResults how many of the last results are kept; a power of two
   * @param maxWaiters most callers that may wait at once
   * @param answers runs what callers do with their answers
   */
  public OwnedPartition(
      int partition, AdmissionState state, int recentResults, int maxWaiters, Executor answers) {
    if (Integer.bitCount(recentResults) != 1) {
      throw new IllegalArgumentException("not a power of two: " + recentResults);
    }
    this.partition = partition;
    this.state = state;
    this.reader = new AdmissionReader(state);
    this.applied = state.appliedOffset();
    this.recent = new AtomicReferenceArray<>(recentResults);
    this.waiters = new OffsetWaiters(maxWaiters, answers);
  }

  public int partition() {
    return partition;
  }

  /** Offset of the last command applied, -1 for none. */
  public long applied() {
    return applied;
  }

  /** Commands between the last one applied and the end of the log as last seen. */
  public long lag() {
    return Math.max(0, logEnd - applied - 1);
  }

  public PartitionStatus status() {
    if (haltedBecause != null) {
      return PartitionStatus.HALTED;
    }
    return ready ? PartitionStatus.READY : PartitionStatus.CATCHING_UP;
  }

  /** Whether it is ready and wants a tick at {@code nowNanos}. */
  public boolean wantsTick(long nowNanos) {
    long due = tickDueNanos;
    return ready && haltedBecause == null && due != NEVER && nowNanos - due >= 0;
  }

  /** Why it is halted, in words, or null. */
  public String haltedBecause() {
    return haltedBecause;
  }

  /** How many callers wait. */
  public int waiting() {
    return waiters.size();
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
    applied = offset;
    if (!ready) {
      becomeReadyIfCaughtUp();
    }
    waiters.applied(offset);
  }

  /**
   * The log holds offsets {@code begin} to {@code end} - 1, seen after the takeover. The first call
   * decides when this partition is ready, and halts it if the log begins beyond what comes next.
   * Later ones only tell its lag.
   */
  public void logSeen(long begin, long end) {
    if (logEnd != UNKNOWN) {
      if (ready) {
        logEnd = Math.max(logEnd, end);
      }
      return;
    }
    if (begin > applied + 1) {
      halt(
          "The log of partition "
              + partition
              + " begins at offset "
              + begin
              + " but the state ends at "
              + applied
              + ": the commands between are lost.");
    }
    logEnd = end;
    becomeReadyIfCaughtUp();
  }

  /** Whether {@link #logSeen} has yet to tell where the log ended after the takeover. */
  public boolean needsLogEnd() {
    return logEnd == UNKNOWN;
  }

  private void becomeReadyIfCaughtUp() {
    long end = logEnd;
    if (end != UNKNOWN && applied + 1 >= end) {
      ready = true;
      releaseThoseBeforeReady();
    }
  }

  private void releaseThoseBeforeReady() {
    for (OffsetWaiters.Waiter waiter : waiters.take(UNTIL_READY)) {
      Reply<?> reply = (Reply<?>) waiter;
      if (waiters.register(reply.offset, reply) && applied >= reply.offset) {
        waiters.applied(reply.offset);
      }
    }
  }

  /** Stops answering until an operator acts. The first reason stays. */
  public synchronized void halt(String because) {
    if (haltedBecause == null) {
      haltedBecause = because;
      stop(new QueryException(Kind.HALTED, because));
    }
  }

  /** This process gives the partition up; callers may ask the next owner. */
  public void close() {
    stop(new QueryException(Kind.MOVING, "partition " + partition + " moves to another owner"));
  }

  private synchronized void stop(QueryException why) {
    if (stopped == null || stopped.kind() == Kind.HALTED) {
      stopped = why;
    }
    waiters.fail(stopped);
  }

  /** Lets go of callers whose deadline has come. */
  public void expireWaiters(long nowNanos) {
    waiters.expire(nowNanos);
  }

  /** What the command at {@code offset} did, once it is applied. */
  CompletableFuture<Answer> await(long offset, Duration atMost) {
    return whenApplied(offset, atMost, Kind.TIMED_OUT, () -> answer(offset));
  }

  /** What {@code read} gives once this partition is ready and has applied {@code leastOffset}. */
  <T> CompletableFuture<T> read(long leastOffset, Duration atMost, Supplier<T> read) {
    return whenApplied(leastOffset, atMost, Kind.BEHIND, read);
  }

  private <T> CompletableFuture<T> whenApplied(
      long offset, Duration atMost, Kind whenLate, Supplier<T> answer) {
    Reply<T> reply = new Reply<>(offset, answer, System.nanoTime() + atMost.toNanos(), whenLate);
    if (stopped != null) {
      reply.done(stopped);
    } else if (!ready) {
      if (waiters.register(UNTIL_READY, reply) && ready) {
        releaseThoseBeforeReady();
      }
    } else if (applied >= offset) {
      reply.done(null);
    } else if (waiters.register(offset, reply) && applied >= offset) {
      waiters.applied(offset);
    }
    if (stopped != null) {
      reply.done(stopped);
    }
    return reply.future;
  }

  private Answer answer(long offset) {
    Answer answer = recent.getAcquire((int) offset & (recent.length() - 1));
    return answer != null && answer.offset() == offset
        ? answer
        : new Answer(partition, offset, Answer.Result.DONE, null, null);
  }

  private final class Reply<T> implements OffsetWaiters.Waiter {
    private final CompletableFuture<T> future = new CompletableFuture<>();
    private final long offset;
    private final Supplier<T> answer;
    private final long deadlineNanos;
    private final Kind whenLate;

    private Reply(long offset, Supplier<T> answer, long deadlineNanos, Kind whenLate) {
      this.offset = offset;
      this.answer = answer;
      this.deadlineNanos = deadlineNanos;
      this.whenLate = whenLate;
    }

    @Override
    public void done(QueryException failure) {
      if (failure != null) {
        future.completeExceptionally(failure);
        return;
      }
      try {
        future.complete(answer.get());
      } catch (RuntimeException e) {
        future.completeExceptionally(e);
      }
    }

    @Override
    public long deadlineNanos() {
      return deadlineNanos;
    }

    @Override
    public QueryException tooLate() {
      return ready
          ? new QueryException(whenLate, "not applied before the deadline")
          : new QueryException(Kind.BEHIND, "partition " + partition + " is catching up");
    }
  }
}
