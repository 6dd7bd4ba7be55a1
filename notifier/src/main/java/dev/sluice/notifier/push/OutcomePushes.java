package dev.sluice.notifier.push;

import dev.sluice.contract.Outcome;
import dev.sluice.contract.PersonStatus;
import dev.sluice.notifier.routing.PersonKey;
import dev.sluice.notifier.routing.PersonSubscription;
import dev.sluice.notifier.routing.RoutingTable;
import java.util.Collection;
import java.util.function.Consumer;

/** Passes each outcome on to those who are subscribed to it: a hash look-up, then only them. */
public final class OutcomePushes implements Consumer<Outcome> {
  private final RoutingTable table;
  private final Bodies bodies;
  private final StatsRounds stats;

  public OutcomePushes(RoutingTable table, Bodies bodies, StatsRounds stats) {
    this.table = table;
    this.bodies = bodies;
    this.stats = stats;
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
        subscribers.forEach(subscriber -> subscriber.tell(news));
      }
    } else if (outcome instanceof Outcome.Progress progress && progress.waiting() > 0) {
      stats.someoneWaits(progress.roomId());
    }
  }
}
