package dev.sluice.notifier.routing;

import dev.sluice.notifier.stomp.Encoded;

/** A subscription to the figures of one room. Thread-safe. */
public final class RoomSubscription extends Subscription {
  private final String roomId;
  private boolean cancelled;

  public RoomSubscription(Outlet outlet, String id, String destination, String roomId) {
    super(outlet, id, destination);
    this.roomId = roomId;
  }

  public String roomId() {
    return roomId;
  }

  /** Shows the newest figures. */
  public synchronized void show(Encoded body) {
    if (!cancelled) {
      outlet().lastValue(this, this, body);
    }
  }

  /** Hears nothing more. */
  synchronized void cancel() {
    cancelled = true;
    outlet().forget(this);
  }
}
