package dev.sluice.notifier.routing;

import dev.sluice.notifier.stomp.Encoded;

/** A subscription to how far what was said in one room goes. Thread-safe. */
public final class FeedSubscription extends Subscription {
  private final String roomId;
  private boolean told;
  private long cursor;
  private boolean hot;
  private boolean cancelled;

  public FeedSubscription(Outlet outlet, String id, String destination, String roomId) {
    super(outlet, id, destination);
    this.roomId = roomId;
  }

  public String roomId() {
    return roomId;
  }

  /**
   * Tells that the room's last event is at {@code cursor} and whether the room is hot, unless that
   * is what was told last, or from before it.
   */
  public synchronized void tell(long newCursor, boolean nowHot, Encoded body) {
    if (cancelled || (told && (newCursor < cursor || (newCursor == cursor && nowHot == hot)))) {
      return;
    }
    told = true;
    cursor = newCursor;
    hot = nowHot;
    outlet().lastValue(this, this, body);
  }

  /** Hears nothing more. */
  synchronized void cancel() {
    cancelled = true;
    outlet().forget(this);
  }
}
