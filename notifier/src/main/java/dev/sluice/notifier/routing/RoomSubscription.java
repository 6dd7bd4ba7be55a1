package dev.sluice.notifier.routing;

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
  public void show(String body) {
    outlet().lastValue(this, this, body);
    outlet().flush();
  }
}
