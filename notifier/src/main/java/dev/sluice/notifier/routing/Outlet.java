package dev.sluice.notifier.routing;

/** The way to one subscriber's connection. Nothing here waits for the client. Thread-safe. */
public interface Outlet {
  /** Queues {@code body}, which must reach the client or the connection ends. */
  void mustDeliver(Subscription subscription, String body);

  /** Queues {@code body}, which a later one under {@code key} may replace. */
  void lastValue(Subscription subscription, Object key, String body);

  /** Queues {@code body} ahead of all others. */
  void control(Subscription subscription, String body);

  /** Takes back what {@link #lastValue} queued under {@code key} and hasn't left. */
  void forget(Object key);

  /** Whether half of all that may wait for the client is free. */
  boolean hasRoom();

  /** Sends what is queued, as far as the client takes it now. */
  void flush();
}
