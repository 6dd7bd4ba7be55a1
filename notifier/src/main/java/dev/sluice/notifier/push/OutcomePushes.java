package dev.sluice.notifier.push;

import dev.sluice.contract.Outcome;
import dev.sluice.contract.PersonStatus;
import dev.sluice.notifier.routing.PersonKey;
import dev.sluice.notifier.routing.PersonSubscription;
import dev.sluice.notifier.routing.RoutingTable;
import java.util.Collection;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Passes each outcome on to those who are subscribed to it: a hash look-up, then only them. A
 * signature and a write cost far more than all the rest, so they are left to lanes and whoever
 * reads the stream reads on. Thread-safe.
 */
public final class OutcomePushes implements Consumer<Outcome> {
  private final RoutingTable table;
  private final Bodies bodies;
  private final StatsRounds stats;
  private final BiConsumer<PersonKey, Runnable> lanes;

  /**
   * @param lanes run what concerns one person in the order in which it was given
   */
  public OutcomePushes(
      RoutingTable table, Bodies bodies, StatsRounds stats, BiConsumer<PersonKey, Runnable> lanes) {
    this.table = table;
    this.bodies = bodies;
    this.stats = stats;
    this.lanes = lanes;
  }

  @Override
  public void accept(Outcome outcome) {
    if (outcome instanceof Outcome.PersonChanged change) {
      if (change.status() == PersonStatus.WAITING) {
        stats.someoneWaits(change.roomId());
      }
      PersonKey person = new PersonKey(change.requestId(), change.session());
      Collection<PersonSubscription> subscribers = table.ofPerson(person);
      if (!subscribers.isEmpty()) {
        News news = News.of(bodies, change);
        lanes.accept(person, () -> subscribers.forEach(subscriber -> subscriber.tell(news)));
      }
    } else if (outcome instanceof Outcome.Progress progress && progress.waiting() > 0) {
      stats.someoneWaits(progress.roomId());
    }
  }
}
