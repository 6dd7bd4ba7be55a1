package dev.sluice.notifier.connection;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
  private final PushCounters counters;
  private final Set<StompConnection> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger count = new AtomicInteger();
  private volatile boolean accepting;

  /** Whether another connection may come. */
  public enum Admittance {
    WELCOME,
    FULL,
    /** Not yet, or no more. */
    NOT_ACCEPTING
  }

  /**
   * @param max connections at a time
   */
  public Connections(int max, PushCounters counters) {
    this.max = max;
    this.counters = counters;
  }

  /** Takes connections from now on. */
  public void accept() {
    accepting = true;
  }

  /** Takes no more; those that are here stay. */
  public void refuse() {
    accepting = false;
  }

  public boolean isAccepting() {
    return accepting;
  }

  public Admittance admittance() {
    if (!accepting) {
      return Admittance.NOT_ACCEPTING;
    }
    return count.get() >= max ? Admittance.FULL : Admittance.WELCOME;
  }

  /** Counts {@code connection} in until it ends; one that comes too late or in excess ends now. */
  public void add(StompConnection connection) {
    open.add(connection);
    counters.countOpened();
    if (count.incrementAndGet() > max || !accepting) {
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
