package dev.sluice.notifier.connection;

import dev.sluice.notifier.push.Bodies;
import dev.sluice.notifier.routing.Outlet;
import dev.sluice.notifier.routing.RoutingTable;
import dev.sluice.notifier.routing.ServerSubscription;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * How this server takes its leave: no new connections; every client is told to come back after a
 * delay of its own, the delays spread evenly over a window so that they don't all arrive elsewhere
 * at once; each is closed (1012) when its delay has passed; whoever hasn't gone by the limit is
 * dropped.
 */
public final class Departure {
  private static final int SERVICE_RESTART = 1012;
  private static final String REASON = "server restart";
  private static final Duration LOOK_EVERY = Duration.ofMillis(20);

  /** Time a client gets for itself; where there are few of them the window is shorter. */
  private static final Duration GAP = Duration.ofMillis(10);

  private final Connections connections;
  private final RoutingTable table;
  private final Bodies bodies;
  private final ScheduledExecutorService timer;
  private final Duration window;
  private final Duration closeWithin;

  /**
   * @param window over which clients are spread, at most
   * @param closeWithin after the window, for the last to acknowledge the close
   */
  public Departure(
      Connections connections,
      RoutingTable table,
      Bodies bodies,
      ScheduledExecutorService timer,
      Duration window,
      Duration closeWithin) {
    this.connections = connections;
    this.table = table;
    this.bodies = bodies;
    this.timer = timer;
    this.window = window;
    this.closeWithin = closeWithin;
  }

  /** Begins; done when the last connection has ended, at most window and limit from now. */
  public CompletableFuture<Void> begin() {
    connections.refuse();
    List<StompConnection> leaving = connections.all();
    Collections.shuffle(leaving);
    Duration spread = min(window, GAP.multipliedBy(leaving.size()));
    Map<Outlet, Duration> delays = new HashMap<>(leaving.size());
    for (int i = 0; i < leaving.size(); i++) {
      delays.put(leaving.get(i), spread.multipliedBy(i + 1L).dividedBy(leaving.size()));
    }
    // Before any is closed, however short its delay.
    announce(delays);
    for (StompConnection connection : leaving) {
      var unused = after(delays.get(connection), () -> connection.leave(SERVICE_RESTART, REASON));
    }
    return allGone(spread.plus(closeWithin));
  }

  private void announce(Map<Outlet, Duration> delays) {
    for (ServerSubscription subscription : table.ofServer()) {
      Duration delay = delays.get(subscription.outlet());
      if (delay != null) {
        subscription.say(bodies.reconnectSoon(delay));
      }
    }
  }

  private CompletableFuture<Void> allGone(Duration limit) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    ScheduledFuture<?> look =
        timer.scheduleWithFixedDelay(
            () -> {
              if (connections.size() == 0) {
                done.complete(null);
              }
            },
            0,
            LOOK_EVERY.toMillis(),
            TimeUnit.MILLISECONDS);
    ScheduledFuture<?> end =
        after(
            limit,
            () -> {
              connections.all().forEach(StompConnection::drop);
              done.complete(null);
            });
    return done.whenComplete(
        (nothing, failure) -> {
          look.cancel(false);
          end.cancel(false);
        });
  }

  private ScheduledFuture<?> after(Duration delay, Runnable action) {
    return timer.schedule(action, delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
