package dev.sluice.notifier.routing;

import dev.sluice.notifier.stomp.Encoded;
import dev.sluice.notifier.stomp.ServerFrames;

/** One SUBSCRIBE of one connection. Identity is what counts: each is equal to itself only. */
public abstract sealed class Subscription
    permits FeedSubscription,
        HotSubscription,
        PersonSubscription,
        RoomSubscription,
        ServerSubscription {
  private final Outlet outlet;
  private final String destination;
  private final Encoded head;

  /**
   * @param id the client's own name for it
   * @param destination as the client wrote it
   */
  Subscription(Outlet outlet, String id, String destination) {
    this.outlet = outlet;
    this.destination = destination;
    this.head = ServerFrames.messageHead(id, destination);
  }

  /** What begins each of its MESSAGE frames. */
  public final Encoded head() {
    return head;
  }

  public final String destination() {
    return destination;
  }

  public final Outlet outlet() {
    return outlet;
  }
}
