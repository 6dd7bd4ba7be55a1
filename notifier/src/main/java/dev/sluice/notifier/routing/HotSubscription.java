package dev.sluice.notifier.routing;

import dev.sluice.notifier.stomp.Encoded;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A subscription to all hot rooms. Of each room the newest body is kept until the client has room
 * for it. Thread-safe.
 */
public final class HotSubscription extends Subscription {
  /** Rooms waiting at most: many times those that are hot at once where Sluice does its work. */
  private static final int MAX_WAITING = 20_000;

  private final Map<String, Encoded> waiting = new LinkedHashMap<>();
  private boolean cancelled;

  public HotSubscription(Outlet outlet, String id, String destination) {
    super(outlet, id, destination);
  }

  /** Keeps {@code body} for the next {@link #pass}. */
  public synchronized void show(String roomId, Encoded body) {
    if (!cancelled) {
      waiting.put(roomId, body);
    }
  }

  /** Passes on what is kept, as far as there is room; with too much of it, more than that. */
  public synchronized void pass() {
    while (!waiting.isEmpty() && (outlet().hasRoom() || waiting.size() > MAX_WAITING)) {
      Iterator<Map.Entry<String, Encoded>> longest = waiting.entrySet().iterator();
      Map.Entry<String, Encoded> next = longest.next();
      longest.remove();
      outlet().lastValue(this, new Key(this, next.getKey()), next.getValue());
      outlet().flush();
    }
  }

  /** Hears nothing more. */
  synchronized void cancel() {
    cancelled = true;
    waiting.clear();
  }

  private record Key(HotSubscription subscription, String roomId) {}
}
