package dev.sluice.notifier.push;

import dev.sluice.contract.Version;
import dev.sluice.notifier.routing.PersonSubscription;
import dev.sluice.notifier.routing.Ranks;
import dev.sluice.notifier.routing.RoutingTable;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.WaitingSnapshot;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells those who wait their rank: for each room with such a subscriber one snapshot of who waits,
 * from which every rank is computed here. A room whose answer is still on its way is left out of a
 * round. Thread-safe.
 */
public final class RankRounds {
  private static final Logger LOG = LoggerFactory.getLogger(RankRounds.class);

  private final RoutingTable table;
  private final AdmissionQueries queries;
  private final PresentState presentState;
  private final Bodies bodies;
  private final AnswerDelivery delivery;
  private final Set<String> asked = ConcurrentHashMap.newKeySet();

  /**
   * @param workers tells subscribers; must not block
   */
  public RankRounds(
      RoutingTable table,
      AdmissionQueries queries,
      PresentState presentState,
      Bodies bodies,
      Executor workers) {
    this.table = table;
    this.queries = queries;
    this.presentState = presentState;
    this.bodies = bodies;
    this.delivery = new AnswerDelivery(workers);
  }

  /**
   * One round over all rooms.
   *
   * @param all tell also ranks that are as they were, so that the other figures stay true, and look
   *     up again who should wait and doesn't
   */
  public void run(boolean all) {
    table.forEachRoomWithWaiting(roomId -> ask(roomId, all));
  }

  private void ask(String roomId, boolean all) {
    if (!asked.add(roomId)) {
      return;
    }
    delivery.deliver(
        queries.waiting(roomId),
        (snapshot, failure) -> {
          asked.remove(roomId);
          if (failure == null) {
            show(snapshot, all);
          } else {
            LOG.debug("No ranks of room {}", roomId, failure);
          }
        });
  }

  private void show(WaitingSnapshot snapshot, boolean all) {
    Ranks ranks = new SnapshotRanks(snapshot, bodies);
    for (PersonSubscription subscriber : table.waitingIn(ranks.roomId())) {
      if (subscriber.show(ranks, all) == PersonSubscription.Shown.MISSED) {
        presentState.tell(subscriber, ownership -> {});
      }
    }
  }

  private record SnapshotRanks(WaitingSnapshot snapshot, Bodies bodies) implements Ranks {
    @Override
    public String roomId() {
      return snapshot.room().roomId();
    }

    @Override
    public long offset() {
      return snapshot.offset();
    }

    @Override
    public long rankOf(long ticket) {
      return snapshot.waiting().contains(ticket) ? snapshot.waiting().rank(ticket) : 0;
    }

    @Override
    public String body(String requestId, long rank, Version version) {
      return bodies.rank(
          roomId(), requestId, rank, snapshot.room().waiting(), estimate(rank), version);
    }

    private long estimate(long rank) {
      double outflow = snapshot.outflowPerMinute();
      return outflow > 0 ? (long) Math.ceil(60.0 * rank / outflow) : -1;
    }
  }
}
