package dev.sluice.notifier.push;

import dev.sluice.notifier.routing.RoomSubscription;
import dev.sluice.notifier.routing.RoutingTable;
import dev.sluice.notifier.stomp.Encoded;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.RoomView;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows a room's figures to its subscribers: at once on subscribing, each period while anyone
 * waits, and once more when the last one has gone. A room in which nobody waits is never asked
 * about. Thread-safe.
 */
public final class StatsRounds {
  private static final Logger LOG = LoggerFactory.getLogger(StatsRounds.class);

  private final RoutingTable table;
  private final AdmissionQueries queries;
  private final Bodies bodies;
  private final AnswerDelivery delivery;

  /** Rooms with subscribers in which someone waits, or waited when last asked. */
  private final Set<String> busy = ConcurrentHashMap.newKeySet();

  /**
   * @param workers tells subscribers; must not block
   */
  public StatsRounds(
      RoutingTable table, AdmissionQueries queries, Bodies bodies, Executor workers) {
    this.table = table;
    this.queries = queries;
    this.bodies = bodies;
    this.delivery = new AnswerDelivery(workers);
  }

  /** Shows a new subscriber, already in the table, the present figures. */
  public void tell(RoomSubscription subscriber) {
    ask(
        subscriber.roomId(),
        room -> subscriber.show(bodies.stats(room)),
        () -> busy.add(subscriber.roomId()));
  }

  /** Someone waits in {@code roomId} as of now. */
  void someoneWaits(String roomId) {
    if (table.hasRoom(roomId)) {
      busy.add(roomId);
    }
  }

  /** One round over the rooms in which someone waits. */
  public void run() {
    for (String roomId : List.copyOf(busy)) {
      // Before asking, so that whoever comes while the answer is on its way isn't forgotten.
      busy.remove(roomId);
      if (table.hasRoom(roomId)) {
        ask(roomId, this::showAll, () -> busy.add(roomId));
      }
    }
  }

  /** Rooms that the next round asks about. */
  public int busyRooms() {
    return busy.size();
  }

  private void ask(String roomId, Consumer<RoomView> action, Runnable askAgain) {
    delivery.deliver(
        queries.room(roomId),
        (room, failure) -> {
          if (failure != null) {
            LOG.debug("No figures of room {}", roomId, failure);
            askAgain.run();
            return;
          }
          if (room.waiting() > 0) {
            askAgain.run();
          }
          action.accept(room);
        });
  }

  private void showAll(RoomView room) {
    var subscribers = table.ofRoom(room.roomId());
    if (!subscribers.isEmpty()) {
      Encoded body = bodies.stats(room);
      subscribers.forEach(subscriber -> subscriber.show(body));
    }
  }
}
