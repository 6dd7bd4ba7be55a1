package dev.sluice.query;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Callers waiting for offsets of one partition to be applied. A caller is registered first and
 * looks at the applied offset afterwards, while the stream thread publishes the applied offset
 * first and looks for callers afterwards, so that one of the two always sees the other.
 *
 * <p>Thread-safe. The stream thread only hands a caller over to the executor; it never runs what a
 * caller does with the answer.
 */
final class OffsetWaiters {
  /** Somebody who waits; called exactly once, with null when the offset is applied. */
  interface Waiter {
    void done(QueryException failure);

    /** {@link System#nanoTime} at which it stops waiting. */
    long deadlineNanos();

    /** What it is told at its deadline. */
    QueryException tooLate();
  }

  private record Entry(Waiter waiter, Entry next) {}

  private final ConcurrentHashMap<Long, Entry> byOffset = new ConcurrentHashMap<>();
  private final AtomicInteger size = new AtomicInteger();
  private final int limit;
  private final Executor answers;

  /**
   * @param limit most callers at once; more are turned away
   * @param answers runs what callers do once they are done
   */
  OffsetWaiters(int limit, Executor answers) {
    this.limit = limit;
    this.answers = answers;
  }

  /** Whether {@code waiter} was taken; if not it has been told that it is one too many. */
  boolean register(long offset, Waiter waiter) {
    if (size.incrementAndGet() > limit) {
      size.decrementAndGet();
      waiter.done(
          new QueryException(
              QueryException.Kind.OVERLOADED, limit + " callers wait for this partition already"));
      return false;
    }
    byOffset.compute(offset, (key, present) -> new Entry(waiter, present));
    return true;
  }

  /** Lets go of everyone who waits for exactly {@code offset}. */
  void applied(long offset) {
    if (size.get() == 0) {
      return;
    }
    Entry entry = byOffset.remove(offset);
    if (entry != null) {
      finish(entry, null);
    }
  }

  /** Lets go of everyone who waits for an offset after {@code before}, through {@code offset}. */
  void applied(long before, long offset) {
    if (offset == before + 1) {
      applied(offset);
    } else if (size.get() > 0) {
      for (Long waitedFor : byOffset.keySet()) {
        if (waitedFor > before && waitedFor <= offset) {
          applied(waitedFor);
        }
      }
    }
  }

  /** Removes those who wait for exactly {@code offset} without telling them anything. */
  List<Waiter> take(long offset) {
    List<Waiter> taken = new ArrayList<>();
    for (Entry e = byOffset.remove(offset); e != null; e = e.next()) {
      size.decrementAndGet();
      taken.add(e.waiter());
    }
    return taken;
  }

  /** Lets go of everyone whose deadline has come. */
  void expire(long nowNanos) {
    if (size.get() == 0) {
      return;
    }
    List<Waiter> late = new ArrayList<>();
    for (Long offset : byOffset.keySet()) {
      byOffset.computeIfPresent(offset, (key, entry) -> keepUnexpired(entry, nowNanos, late));
    }
    for (Waiter waiter : late) {
      size.decrementAndGet();
      hand(waiter, waiter.tooLate());
    }
  }

  private static Entry keepUnexpired(Entry entry, long nowNanos, List<Waiter> late) {
    Entry kept = null;
    for (Entry e = entry; e != null; e = e.next()) {
      if (e.waiter().deadlineNanos() - nowNanos <= 0) {
        late.add(e.waiter());
      } else {
        kept = new Entry(e.waiter(), kept);
      }
    }
    return kept;
  }

  /** Lets go of everyone, without an answer. */
  void fail(QueryException failure) {
    Iterator<Map.Entry<Long, Entry>> all = byOffset.entrySet().iterator();
    while (all.hasNext()) {
      Long offset = all.next().getKey();
      Entry entry = byOffset.remove(offset);
      if (entry != null) {
        finish(entry, failure);
      }
    }
  }

  /** How many wait. */
  int size() {
    return size.get();
  }

  private void finish(Entry first, QueryException failure) {
    for (Entry e = first; e != null; e = e.next()) {
      size.decrementAndGet();
      hand(e.waiter(), failure);
    }
  }

  private void hand(Waiter waiter, QueryException failure) {
    try {
      answers.execute(() -> waiter.done(failure));
    } catch (RejectedExecutionException closing) {
      waiter.done(new QueryException(QueryException.Kind.MOVING, "this process is closing"));
    }
  }
}
