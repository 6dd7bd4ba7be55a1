package dev.sluice.api.rooms;

import dev.sluice.api.rooms.SharedFeed.Reading;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Which fetches of one room a reading of the store answers, and when the next one may begin. A
 * fetch is answered from a reading that began after it came, so that no answer is stale. One
 * reading is under way at a time, and while the room is hot they begin no more often than every
 * interval; whoever comes meanwhile shares the next one.
 *
 * <p>A fetch may ask for more of the log than any reading is known to have reflected: mostly since
 * it follows a push, but perhaps since its cursor was invented. Such a reading may wait until it is
 * given up, so it is made apart, at most one at a time and for the least such cursor first; and
 * once one has been in vain, whoever asks for as much is refused for a while without it, so that
 * invented cursors don't hold up those who follow a push.
 *
 * <p>Plain decision: time is told. Not thread-safe.
 */
final class FetchGate {
  /** Most events in a page that is read for several. */
  static final int MAX_PAGE = 500;

  private final long intervalNanos;
  private final List<Fetch> waiting = new ArrayList<>();
  private Read known;
  private Read ahead;
  private long reached = -1;
  private long arrivals;
  private long begunAt;
  private boolean hasBegun;

  /** What was asked for in vain, and until when it isn't waited for again. */
  private long beyond = Long.MAX_VALUE;

  private long beyondUntil;

  /** Someone who wants to know what was said after a cursor. */
  static final class Fetch {
    private final long after;
    private final long demand;
    private final int limit;
    private final CompletableFuture<byte[]> answer = new CompletableFuture<>();
    private long number;
    private long arrivedAt;
    private boolean passedOver;

    /**
     * @param after a cursor, or -1
     * @param upTo what the answer must reflect besides, or -1
     * @param limit most events
     */
    Fetch(long after, long upTo, int limit) {
      this.after = after;
      this.demand = Math.max(after, upTo);
      this.limit = limit;
    }

    long after() {
      return after;
    }

    int limit() {
      return limit;
    }

    CompletableFuture<byte[]> answer() {
      return answer;
    }
  }

  /**
   * A reading of the store to be made.
   *
   * @param upTo what it must reflect
   * @param begunAt nanoseconds
   * @param lastArrival those who came later are not answered by it
   */
  record Read(long after, long upTo, int limit, boolean isAhead, long begunAt, long lastArrival) {}

  FetchGate(long intervalNanos) {
    this.intervalNanos = intervalNanos;
  }

  /** How long what was asked for in vain isn't waited for again. */
  static final long BEYOND_NANOS = 500_000_000;

  /** Whether a fetch asks for what has just been waited for in vain. */
  boolean isInVain(Fetch fetch, long now) {
    return fetch.demand >= beyond && fetch.demand > reached && now - beyondUntil < 0;
  }

  /** Whether some would be refused by {@link #isInVain} still. */
  boolean remembersInVain(long now) {
    return beyond > reached && beyond != Long.MAX_VALUE && now - beyondUntil < 0;
  }

  /** Takes a fetch; {@link #next} says what follows. */
  void arrive(Fetch fetch, long now) {
    fetch.number = ++arrivals;
    fetch.arrivedAt = now;
    waiting.add(fetch);
  }

  /** Fetches not answered yet. */
  int waiting() {
    return waiting.size();
  }

  /** The reading to begin now, or null. */
  Read next(long now, boolean isHot) {
    if (isHot && hasBegun && now - begunAt < intervalNanos) {
      return null;
    }
    // In the order of arrival, so that neither kind keeps the other waiting.
    for (Fetch fetch : waiting) {
      boolean isAhead = fetch.demand > reached;
      if ((isAhead ? ahead : known) == null) {
        hasBegun = true;
        begunAt = now;
        return begin(isAhead, now);
      }
    }
    return null;
  }

  /** How long until {@link #next} can say something else, or -1 if that needs an event. */
  long nanosToNext(long now, boolean isHot) {
    if (!isHot || !hasBegun || now - begunAt >= intervalNanos) {
      return -1;
    }
    boolean canBegin =
        waiting.stream().anyMatch(fetch -> (fetch.demand > reached ? ahead : known) == null);
    return canBegin ? intervalNanos - (now - begunAt) : -1;
  }

  /** Whether nothing is left to be done, and nothing to be remembered for the interval. */
  boolean isIdle(long now, boolean isHot) {
    return waiting.isEmpty()
        && known == null
        && ahead == null
        && !remembersInVain(now)
        && !(isHot && hasBegun && now - begunAt < intervalNanos);
  }

  /**
   * The same reading begun only now, so that it answers also those who have come since; null if
   * nobody waits for it any more.
   */
  Read again(Read read, long now) {
    for (Fetch fetch : waiting) {
      if (fetch.demand > reached == read.isAhead()) {
        return begin(read.isAhead(), now);
      }
    }
    over(read);
    return null;
  }

  private Read begin(boolean isAhead, long now) {
    long upTo = isAhead ? leastDemandAhead() : greatestKnownDemand();
    long after = Long.MAX_VALUE;
    long passedOverAfter = Long.MAX_VALUE;
    long greatestAfter = -1;
    int limit = 0;
    for (Fetch fetch : waiting) {
      if (isAhead ? fetch.demand > reached && fetch.demand <= upTo : fetch.demand <= reached) {
        after = Math.min(after, fetch.after);
        greatestAfter = Math.max(greatestAfter, fetch.after);
        limit = Math.max(limit, fetch.limit);
        if (fetch.passedOver) {
          passedOverAfter = Math.min(passedOverAfter, fetch.after);
        }
      }
    }
    if (after < greatestAfter) {
      limit = MAX_PAGE;
    }
    // Whoever's turn it is isn't passed over again for another one from further back.
    if (passedOverAfter != Long.MAX_VALUE) {
      after = passedOverAfter;
    }
    Read read = new Read(after, upTo, limit, isAhead, now, arrivals);
    if (isAhead) {
      ahead = read;
    } else {
      known = read;
    }
    return read;
  }

  private long leastDemandAhead() {
    return waiting.stream()
        .mapToLong(fetch -> fetch.demand)
        .filter(demand -> demand > reached)
        .min()
        .orElseThrow();
  }

  private long greatestKnownDemand() {
    return waiting.stream()
        .mapToLong(fetch -> fetch.demand)
        .filter(demand -> demand <= reached)
        .max()
        .orElse(-1);
  }

  /** Takes out all whom {@code reading}, made as {@code read} says, answers. */
  List<Fetch> done(Read read, Reading reading) {
    over(read);
    reached = Math.max(reached, reading.reflects());
    return takeOut(reading, read.lastArrival(), read.begunAt());
  }

  /**
   * Takes out all whom an entry answers that is shared with others, if it serves whoever of those
   * that {@code read} is for has waited longest; if not, none is answered and the store must be
   * read.
   *
   * @param ageNanos of the reading, at least, when it was asked for
   */
  List<Fetch> shared(Read read, Reading reading, long ageNanos) {
    long latest = read.begunAt() - ageNanos;
    for (Fetch fetch : waiting) {
      if (read.isAhead() ? fetch.demand > reached : fetch.demand <= reached) {
        if (!isAnswered(fetch, reading, read.lastArrival(), latest)) {
          return List.of();
        }
        break;
      }
    }
    over(read);
    reached = Math.max(reached, reading.reflects());
    return takeOut(reading, read.lastArrival(), latest);
  }

  /**
   * Takes out all who would have been answered by a reading that failed.
   *
   * @param inVain whether it failed since the log isn't there yet
   */
  List<Fetch> failed(Read read, boolean inVain, long now) {
    over(read);
    if (read.isAhead() && inVain) {
      beyond = read.upTo();
      beyondUntil = now + BEYOND_NANOS;
    }
    List<Fetch> failed = new ArrayList<>();
    Iterator<Fetch> all = waiting.iterator();
    while (all.hasNext()) {
      Fetch fetch = all.next();
      // What isn't there up to a cursor isn't there up to a later one either.
      boolean isMeant = read.isAhead() ? fetch.demand >= read.upTo() : fetch.demand <= read.upTo();
      if (isMeant && fetch.number <= read.lastArrival()) {
        failed.add(fetch);
        all.remove();
      }
    }
    return failed;
  }

  private void over(Read read) {
    if (read.isAhead()) {
      ahead = null;
    } else {
      known = null;
    }
  }

  private List<Fetch> takeOut(Reading reading, long lastArrival, long latest) {
    List<Fetch> answered = new ArrayList<>();
    List<Fetch> left = new ArrayList<>();
    for (Fetch fetch : waiting) {
      if (isAnswered(fetch, reading, lastArrival, latest)) {
        answered.add(fetch);
      } else {
        fetch.passedOver |= fetch.number <= lastArrival;
        left.add(fetch);
      }
    }
    waiting.clear();
    waiting.addAll(left);
    return answered;
  }

  private static boolean isAnswered(Fetch fetch, Reading reading, long lastArrival, long latest) {
    return fetch.number <= lastArrival
        && fetch.arrivedAt - latest <= 0
        && fetch.demand <= reading.reflects()
        && reading.covers(fetch.after);
  }
}
