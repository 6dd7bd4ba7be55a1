package dev.sluice.notifier.routing;

import dev.sluice.notifier.stomp.Encoded;

/** A subscription to the figures of one room. */
public final class RoomSubscription extends Subscription {
  private final String roomId;

  public RoomSubscription(Outlet outlet, String id, String destination, String roomId) {
    super(outlet, id, destination);
    this.roomId = roomId;
  }

  public String roomId() {
    return roomId;
  }

  /** Shows the newest figures. */
  public void show(Encoded body) {
    outlet().lastValue(this, this, body);
  }
}
