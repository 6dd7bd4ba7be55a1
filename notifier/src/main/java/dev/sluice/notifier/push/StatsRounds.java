package dev.sluice.notifier.push;

import dev.sluice.notifier.routing.RoomSubscription;
import dev.sluice.notifier.routing.RoutingTable;
import dev.sluice.notifier.stomp.Encoded;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.RoomView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
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

  /** Rooms whose figures for all are being asked for. */
  private final Set<String> asked = ConcurrentHashMap.newKeySet();

  /** Those who came since the figures of their room were asked for. */
  private final Map<String, List<RoomSubscription>> newcomers = new ConcurrentHashMap<>();

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

  /**
   * Shows a new subscriber, already in the table, the present figures; thousands who come at once
   * share an answer.
   */
  public void tell(RoomSubscription subscriber) {
    boolean[] first = new boolean[1];
    newcomers.compute(
        subscriber.roomId(),
        (roomId, present) -> {
          first[0] = present == null;
          List<RoomSubscription> all = first[0] ? new ArrayList<>(1) : present;
          all.add(subscriber);
          return all;
        });
    if (first[0]) {
      ask(subscriber.roomId(), this::welcome);
    }
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
      if (!asked.add(roomId)) {
        continue;
      }
      // Before asking, so that whoever comes while the answer is on its way isn't forgotten.
      busy.remove(roomId);
      if (table.hasRoom(roomId)) {
        ask(roomId, this::showAll);
      } else {
        asked.remove(roomId);
      }
    }
  }

  /** Rooms that the next round asks about. */
  public int busyRooms() {
    return busy.size();
  }

  /**
   * @param action hears the answer, null when there is none; the next round asks again
   */
  private void ask(String roomId, BiConsumer<String, RoomView> action) {
    delivery.deliver(
        queries.room(roomId),
        (room, failure) -> {
          if (failure != null) {
            LOG.debug("No figures of room {}", roomId, failure);
          }
          if (failure != null || room.waiting() > 0) {
            busy.add(roomId);
          }
          action.accept(roomId, room);
        });
  }

  private void welcome(String roomId, RoomView room) {
    List<RoomSubscription> all = newcomers.remove(roomId);
    if (room != null) {
      Encoded body = bodies.stats(room);
      all.forEach(subscriber -> subscriber.show(room.offset(), body));
    }
  }

  private void showAll(String roomId, RoomView room) {
    asked.remove(roomId);
    var subscribers = table.ofRoom(roomId);
    if (room != null && !subscribers.isEmpty()) {
      Encoded body = bodies.stats(room);
      subscribers.forEach(subscriber -> subscriber.show(room.offset(), body));
    }
  }
}
