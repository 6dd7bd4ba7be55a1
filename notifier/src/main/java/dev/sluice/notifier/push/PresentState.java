package dev.sluice.notifier.push;

import dev.sluice.notifier.routing.PersonSubscription;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.PersonView;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a subscription that is already registered what is so at present. Since the live stream
 * reaches the subscription before the question is asked, the two overlap rather than leave a gap,
 * and the subscription's guard drops what it has seen. Asks again while there is no sure answer and
 * somebody still wants it.
 */
public final class PresentState {
  private static final Logger LOG = LoggerFactory.getLogger(PresentState.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(250);
  private static final Duration SLOWEST_RETRY = Duration.ofSeconds(5);

  private final LookUps lookUps;
  private final Bodies bodies;
  private final ScheduledExecutorService timer;

  /** What looking a person up showed about who owns them. */
  public enum Ownership {
    /** Theirs, or nobody's yet. */
    ALLOWED,
    /** Only of other sessions. */
    FOREIGN,
    /** No sure answer yet; the question goes on. */
    UNKNOWN
  }

  /**
   * @param workers tells subscribers; must not block
   */
  public PresentState(
      AdmissionQueries queries, Bodies bodies, ScheduledExecutorService timer, Executor workers) {
    this.lookUps = new LookUps(queries, workers);
    this.bodies = bodies;
    this.timer = timer;
  }

  /** Who hears what a first look showed, and a later one if the first had no answer. */
  @FunctionalInterface
  public interface Verdict {
    void on(Ownership ownership);
  }

  /** Questions that have no answer yet, but those to be put again later. */
  public int open() {
    return lookUps.open();
  }

  /** Tells {@code subscription} the present state, and {@code verdict} whose person it is. */
  public void tell(PersonSubscription subscription, Verdict verdict) {
    ask(subscription, verdict, FIRST_RETRY);
  }

  private void ask(PersonSubscription subscription, Verdict verdict, Duration retry) {
    lookUps.ask(
        subscription.room(),
        subscription.person().requestId(),
        new LookUps.Asker() {
          @Override
          public boolean isWaiting() {
            return !subscription.isCancelled();
          }

          @Override
          public void answered(List<PersonView> people, Throwable failure) {
            if (failure == null) {
              verdict.on(tellOwn(subscription, people));
            } else if (isWaiting()) {
              LOG.debug("No present state for {}", subscription.destination(), failure);
              verdict.on(Ownership.UNKNOWN);
              askLater(subscription, verdict, retry);
            }
          }
        });
  }

  private void askLater(PersonSubscription subscription, Verdict verdict, Duration retry) {
    Duration next =
        retry.multipliedBy(2).compareTo(SLOWEST_RETRY) < 0 ? retry.multipliedBy(2) : SLOWEST_RETRY;
    var unused =
        timer.schedule(
            () -> ask(subscription, verdict, next), retry.toMillis(), TimeUnit.MILLISECONDS);
  }

  private Ownership tellOwn(PersonSubscription subscription, List<PersonView> people) {
    boolean own = people.isEmpty();
    for (PersonView person : people) {
      if (person.session().equals(subscription.person().session())) {
        own = true;
        subscription.tell(News.of(bodies, person));
      }
    }
    return own ? Ownership.ALLOWED : Ownership.FOREIGN;
  }
}
