package dev.sluice.notifier.routing;

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
  public void show(String body) {
    synchronized (this) {
      if (cancelled) {
        return;
      }
      outlet().lastValue(this, this, body);
    }
    outlet().flush();
  }

  /** Hears nothing more. */
  synchronized void cancel() {
    cancelled = true;
    outlet().forget(this);
  }
}
