package dev.sluice.notifier.push;

import dev.sluice.contract.Version;
import dev.sluice.notifier.routing.PersonSubscription;
import dev.sluice.notifier.routing.Ranks;
import dev.sluice.notifier.routing.RoutingTable;
import dev.sluice.notifier.stomp.Encoded;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.WaitingSnapshot;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells those who wait their rank: for each room with such a subscriber one snapshot of who waits,
 * from which every rank is computed here. A round that comes while a room's answer is still on its
 * way shares that answer. Thread-safe.
 */
public final class RankRounds {
  private static final Logger LOG = LoggerFactory.getLogger(RankRounds.class);

  private final RoutingTable table;
  private final AdmissionQueries queries;
  private final PresentState presentState;
  private final Bodies bodies;
  private final AnswerDelivery delivery;

  /** Rooms whose answer is on its way, and whether it is for all. */
  private final Map<String, Boolean> asked = new ConcurrentHashMap<>();

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
    if (joins(roomId, all)) {
      return;
    }
    delivery.deliver(
        queries.waiting(roomId),
        (snapshot, failure) -> {
          boolean forAll = asked.remove(roomId);
          if (failure == null) {
            show(snapshot, forAll);
          } else {
            LOG.debug("No ranks of room {}", roomId, failure);
          }
        });
  }

  /** Whether the answer on its way serves this round too. */
  private boolean joins(String roomId, boolean all) {
    Boolean forAll = asked.putIfAbsent(roomId, all);
    while (forAll != null) {
      if (forAll || !all || asked.replace(roomId, false, true)) {
        return true;
      }
      forAll = asked.putIfAbsent(roomId, true);
    }
    return false;
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
    public Encoded body(String requestId, long rank, Version version) {
      return bodies.rank(
          roomId(), requestId, rank, snapshot.room().waiting(), estimate(rank), version);
    }

    private long estimate(long rank) {
      double outflow = snapshot.outflowPerMinute();
      return outflow > 0 ? (long) Math.ceil(60.0 * rank / outflow) : -1;
    }
  }
}
