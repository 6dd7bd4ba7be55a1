package dev.sluice.notifier.push;

import dev.sluice.contract.HotVerdict;
import dev.sluice.hot.HotRooms;
import dev.sluice.notifier.routing.HotSubscription;
import dev.sluice.notifier.routing.RoutingTable;
import dev.sluice.notifier.stomp.Encoded;
import java.time.Duration;

/**
 * Tells operators which rooms are hot: all of them on subscribing, then each that turns or has new
 * figures. Thread-safe.
 */
public final class HotPushes {
  /** How often {@link #run} is called. */
  public static final Duration PERIOD = Duration.ofMillis(50);

  private final RoutingTable table;
  private final HotRooms hotRooms;
  private final Bodies bodies;

  public HotPushes(RoutingTable table, HotRooms hotRooms, Bodies bodies) {
    this.table = table;
    this.hotRooms = hotRooms;
    this.bodies = bodies;
  }

  /** Hears of each change from now on. */
  public void begin() {
    hotRooms.onChange(this::changed);
  }

  private synchronized void changed(HotRooms.Change change) {
    if (!table.ofHot().isEmpty()) {
      Encoded body =
          change.now() == null
              ? bodies.hot("COOLED", change.before())
              : bodies.hot("HOT", change.now());
      table.ofHot().forEach(subscriber -> subscriber.show(change.roomId(), body));
      run();
    }
  }

  /**
   * Tells a new subscriber, already in the table, all hot rooms. One change at a time, as it hears
   * them: a room that cools meanwhile is told as such afterwards.
   */
  public synchronized void tell(HotSubscription subscriber) {
    for (HotVerdict verdict : hotRooms.all()) {
      subscriber.show(verdict.roomId(), bodies.hot("HOT", verdict));
    }
    subscriber.pass();
  }

  /** Passes on what subscribers had no room for when it came. */
  public void run() {
    table.ofHot().forEach(HotSubscription::pass);
  }
}
