package dev.sluice.notifier.push;

import dev.sluice.contract.Outcome;
import dev.sluice.contract.PersonStatus;
import dev.sluice.notifier.routing.PersonKey;
import dev.sluice.notifier.routing.PersonSubscription;
import dev.sluice.notifier.routing.RoutingTable;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Passes each outcome on to those who are subscribed to it: a hash look-up, then only them. An
 * admission takes a signature, far more work than all the rest, and so doesn't hold up what comes
 * after it; the subscriptions' own guards keep the order. Thread-safe.
 */
public final class OutcomePushes implements Consumer<Outcome> {
  private final RoutingTable table;
  private final Bodies bodies;
  private final StatsRounds stats;
  private final Executor workers;

  /**
   * @param workers sign and tell; must not block
   */
  public OutcomePushes(RoutingTable table, Bodies bodies, StatsRounds stats, Executor workers) {
    this.table = table;
    this.bodies = bodies;
    this.stats = stats;
    this.workers = workers;
  }

  @Override
  public void accept(Outcome outcome) {
    if (outcome instanceof Outcome.PersonChanged change) {
      if (change.status() == PersonStatus.WAITING) {
        stats.someoneWaits(change.roomId());
      }
      Collection<PersonSubscription> subscribers =
          table.ofPerson(new PersonKey(change.requestId(), change.session()));
      if (!subscribers.isEmpty()) {
        News news = News.of(bodies, change);
        if (change.status() == PersonStatus.ADMITTED) {
          workers.execute(() -> subscribers.forEach(subscriber -> subscriber.tell(news)));
        } else {
          subscribers.forEach(subscriber -> subscriber.tell(news));
        }
      }
    } else if (outcome instanceof Outcome.Progress progress && progress.waiting() > 0) {
      stats.someoneWaits(progress.roomId());
    }
  }
}
