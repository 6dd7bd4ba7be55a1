package dev.sluice.notifier.routing;

import dev.sluice.notifier.stomp.Encoded;

/** A subscription to the figures of one room. Thread-safe. */
public final class RoomSubscription extends Subscription {
  private final String roomId;
  private long shown = -1;
  private boolean cancelled;

  public RoomSubscription(Outlet outlet, String id, String destination, String roomId) {
    super(outlet, id, destination);
    this.roomId = roomId;
  }

  public String roomId() {
    return roomId;
  }

  /**
   * Shows figures, unless newer ones were shown.
   *
   * @param offset of the last command that they reflect
   */
  public synchronized void show(long offset, Encoded body) {
    if (!cancelled && offset >= shown) {
      shown = offset;
      outlet().lastValue(this, this, body);
    }
  }

  /** Hears nothing more. */
  synchronized void cancel() {
    cancelled = true;
    outlet().forget(this);
  }
}
