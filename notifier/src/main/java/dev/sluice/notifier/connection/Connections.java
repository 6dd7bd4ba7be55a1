package dev.sluice.notifier.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All connections of this server, as many as it takes and no more. Thread-safe. */
public final class Connections {
  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  private static final int TRY_AGAIN_LATER = 1013;

  private final int max;
  private final Rate rate;
  private final PushCounters counters;
  private final Set<StompConnection> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger count = new AtomicInteger();
  private volatile boolean accepting;
  private volatile boolean leaving;

  /**
   * @param max connections at a time
   * @param rate at which they may come
   */
  public Connections(int max, Rate rate, PushCounters counters) {
    this.max = max;
    this.rate = rate;
    this.counters = counters;
  }

  /** Takes connections from now on, unless it has been told to refuse them. */
  public void accept() {
    accepting = true;
  }

  /** Takes no more for good; those that are here stay. */
  public void refuse() {
    leaving = true;
  }

  /** Takes none for good. */
  public boolean isLeaving() {
    return leaving;
  }

  public boolean isAccepting() {
    return accepting && !leaving;
  }

  /** Lets one more come, which takes its share of the rate; or says why not. */
  public Optional<Refusal> admit() {
    if (!isAccepting()) {
      return Optional.of(Refusal.NOT_ACCEPTING);
    }
    if (count.get() >= max) {
      return Optional.of(Refusal.FULL);
    }
    return rate.take() ? Optional.empty() : Optional.of(Refusal.RATE);
  }

  /** Counts {@code connection} in until it ends; one that comes too late or in excess ends now. */
  public void add(StompConnection connection) {
    open.add(connection);
    counters.countOpened();
    if (count.incrementAndGet() > max || !isAccepting()) {
      connection.leave(TRY_AGAIN_LATER, "no room");
    }
  }

  void remove(StompConnection connection) {
    if (open.remove(connection)) {
      count.decrementAndGet();
    }
  }

  /**
   * Lets each connection do what is due.
   *
   * @param period time until the next call
   */
  public void tick(Duration period) {
    for (StompConnection connection : open) {
      try {
        connection.tick(period);
      } catch (RuntimeException e) {
        LOG.error("Dropped {}, which failed", connection, e);
        connection.drop();
      }
    }
  }

  /** Those that are here now. */
  public List<StompConnection> all() {
    return new ArrayList<>(open);
  }

  public int size() {
    return count.get();
  }

  /** Subscriptions of all connections. */
  public long subscriptionCount() {
    return open.stream().mapToLong(StompConnection::subscriptionCount).sum();
  }

  /** Bytes waiting and in flight on all connections. */
  public long outboxBytes() {
    return open.stream().mapToLong(StompConnection::outboxBytes).sum();
  }
}
