package dev.sluice.notifier.routing;

import dev.sluice.notifier.stomp.Encoded;

/** The way to one subscriber's connection. Nothing here waits for the client. Thread-safe. */
public interface Outlet {
  /** Queues {@code body}, which must reach the client or the connection ends. */
  void mustDeliver(Subscription subscription, Encoded body);

  /**
   * Queues {@code body}, which a later one under {@code key} may replace. It leaves by itself, a
   * moment later, so that what comes together leaves together.
   */
  void lastValue(Subscription subscription, Object key, Encoded body);

  /** Queues {@code body} ahead of all others. */
  void control(Subscription subscription, Encoded body);

  /** Takes back what {@link #lastValue} queued under {@code key} and hasn't left. */
  void forget(Object key);

  /** Whether half of all that may wait for the client is free. */
  boolean hasRoom();

  /** Sends all that is queued now, as far as the client takes it. */
  void flush();
}
