package dev.sluice.query;

import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.SystemView.PartitionStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * A partition of a topic owned by this process, from taking over to giving up: how far its records
 * are applied, and who waits for which.
 *
 * <p>One stream thread writes; any thread reads and waits. Nothing is answered before the partition
 * has applied the log up to its end as it stood after the takeover.
 */
public class OwnedLog {
  private static final long UNKNOWN = -1;

  /** Where those wait who came before this partition was ready; no record has this offset. */
  private static final long UNTIL_READY = Long.MAX_VALUE;

  private final int partition;
  private final OffsetWaiters waiters;

  private volatile long applied;
  private volatile long logEnd = UNKNOWN;
  private volatile boolean ready;
  private volatile QueryException stopped;
  private volatile String haltedBecause;

  /**
   * @param applied offset of the last record that is known to be applied, -1 for none
   * @param maxWaiters most callers that may wait at once
   * @param answers runs what callers do with their answers
   */
  public OwnedLog(int partition, long applied, int maxWaiters, Executor answers) {
    this.partition = partition;
    this.applied = applied;
    this.waiters = new OffsetWaiters(maxWaiters, answers);
  }

  public final int partition() {
    return partition;
  }

  /** Offset of the last record applied, -1 for none. */
  public final long applied() {
    return applied;
  }

  /** Records between the last one applied and the end of the log as last seen. */
  public final long lag() {
    return Math.max(0, logEnd - applied - 1);
  }

  public final PartitionStatus status() {
    if (haltedBecause != null) {
      return PartitionStatus.HALTED;
    }
    return ready ? PartitionStatus.READY : PartitionStatus.CATCHING_UP;
  }

  /** Why it is halted, in words, or null. */
  public final String haltedBecause() {
    return haltedBecause;
  }

  /** How many callers wait. */
  public final int waiting() {
    return waiters.size();
  }

  /** All through {@code offset} is applied and its state published. */
  public final synchronized void applied(long offset) {
    long before = applied;
    if (offset <= before) {
      return;
    }
    applied = offset;
    if (!ready) {
      becomeReadyIfCaughtUp();
    }
    waiters.applied(before, offset);
  }

  /**
   * The log holds offsets {@code begin} to {@code end} - 1, seen after the takeover. The first call
   * decides when this partition is ready. Later ones only tell its lag.
   *
   * @param begin the first that this owner will see, as far as known; what is before it is applied
   *     or gone
   */
  public final void logSeen(long begin, long end) {
    if (begin > applied + 1) {
      beginsBeyond(begin);
    }
    if (logEnd != UNKNOWN) {
      if (ready) {
        logEnd = Math.max(logEnd, end);
      }
      return;
    }
    logEnd = end;
    becomeReadyIfCaughtUp();
  }

  /** The records between the last one applied and {@code begin} will never come. */
  protected void beginsBeyond(long begin) {
    applied(begin - 1);
  }

  /** Whether {@link #logSeen} has yet to tell where the log ended after the takeover. */
  public final boolean needsLogEnd() {
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
  public final synchronized void halt(String because) {
    if (haltedBecause == null) {
      haltedBecause = because;
      stop(new QueryException(Kind.HALTED, because));
    }
  }

  /** This process gives the partition up; callers may ask the next owner. */
  public final void close() {
    stop(new QueryException(Kind.MOVING, "partition " + partition + " moves to another owner"));
  }

  private synchronized void stop(QueryException why) {
    if (stopped == null || stopped.kind() == Kind.HALTED) {
      stopped = why;
    }
    waiters.fail(stopped);
  }

  /** Lets go of callers whose deadline has come. */
  public final void expireWaiters(long nowNanos) {
    waiters.expire(nowNanos);
  }

  /** What {@code read} gives once this partition is ready and has applied {@code leastOffset}. */
  final <T> CompletableFuture<T> read(long leastOffset, Duration atMost, Supplier<T> read) {
    return whenApplied(leastOffset, atMost, Kind.BEHIND, read);
  }

  /**
   * @param whenLate the failure if it isn't applied in time
   */
  final <T> CompletableFuture<T> whenApplied(
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

  final boolean isReady() {
    return ready;
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
        // A store that is just being closed is no fault.
        future.completeExceptionally(stopped == null ? e : stopped);
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
