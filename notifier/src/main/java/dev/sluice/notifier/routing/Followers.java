package dev.sluice.notifier.routing;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Those who follow one room, and how many connections that is: one that subscribes twice counts
 * once. Changed by one thread at a time, read by any.
 */
final class Followers {
  private final Set<FeedSubscription> subscriptions = ConcurrentHashMap.newKeySet(2);
  private final Map<Outlet, Integer> perConnection = new HashMap<>(2);
  private volatile int connections;

  Followers with(FeedSubscription subscription) {
    if (subscriptions.add(subscription)) {
      perConnection.merge(subscription.outlet(), 1, Integer::sum);
      connections = perConnection.size();
    }
    return this;
  }

  /** These without one, or null when nobody is left. */
  Followers without(FeedSubscription subscription) {
    if (subscriptions.remove(subscription)) {
      perConnection.computeIfPresent(
          subscription.outlet(), (outlet, count) -> count == 1 ? null : count - 1);
      connections = perConnection.size();
    }
    return subscriptions.isEmpty() ? null : this;
  }

  Collection<FeedSubscription> subscriptions() {
    return subscriptions;
  }

  int connections() {
    return connections;
  }
}
