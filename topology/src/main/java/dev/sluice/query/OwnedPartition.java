package dev.sluice.query;

import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.SystemView.PartitionStatus;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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

  /** Where those wait who came before this partition was ready; no command has this offset. */
  private static final long UNTIL_READY = Long.MAX_VALUE;

  private record Recent(
      long offset, Answer.Result result, String roomId, String requestId, String detail) {}

  private final int partition;
  private final PartitionState state;
  private final OffsetWaiters waiters;
  private final AtomicReferenceArray<Recent> recent;

  private volatile long applied;
  private volatile long logEnd = UNKNOWN;
  private volatile boolean ready;
  private volatile QueryException stopped;
  private volatile String haltedBecause;

  /**
   * @param applied offset of the last command applied, -1 for none
   * @param recentResults how many of the last results are kept; a power of two
   * @param maxWaiters most callers that may wait at once
   * @param answers runs what callers do with their answers
   */
  public OwnedPartition(
      int partition,
      PartitionState state,
      long applied,
      int recentResults,
      int maxWaiters,
      Executor answers) {
    if (Integer.bitCount(recentResults) != 1) {
      throw new IllegalArgumentException("not a power of two: " + recentResults);
    }
    this.partition = partition;
    this.state = state;
    this.applied = applied;
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

  /** Why it is halted, in words, or null. */
  public String haltedBecause() {
    return haltedBecause;
  }

  /** How many callers wait. */
  public int waiting() {
    return waiters.size();
  }

  public PartitionState state() {
    return state;
  }

  /** The command at {@code offset} has been applied and its state published. Stream thread only. */
  public void applied(
      long offset, Answer.Result result, String roomId, String requestId, String detail) {
    recent.setRelease(
        (int) offset & (recent.length() - 1),
        new Recent(offset, result, roomId, requestId, detail));
    applied = offset;
    if (!ready) {
      becomeReadyIfCaughtUp();
    }
    waiters.applied(offset);
  }

  /**
   * The log holds offsets {@code begin} to {@code end} - 1, seen after the takeover. The first call
   * decides when this partition is ready; a log whose beginning is beyond what comes next halts it.
   */
  public void logSeen(long begin, long end) {
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
    if (ready) {
      logEnd = Math.max(logEnd, end);
    } else if (logEnd == UNKNOWN) {
      logEnd = end;
      becomeReadyIfCaughtUp();
    }
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
    if (!ready) {
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
    Recent result = recent.getAcquire((int) offset & (recent.length() - 1));
    if (result == null || result.offset() != offset) {
      return new Answer(partition, offset, Answer.Result.DONE, null, null);
    }
    PersonView person =
        result.requestId() == null
            ? null
            : state.person(result.roomId(), result.requestId()).orElse(null);
    return new Answer(partition, offset, result.result(), person, result.detail());
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
