package dev.sluice.notifier.push;

import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.PersonView;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Looks people up, a number of them at a time; the rest wait their turn, so that ten thousand who
 * come back at once don't run over whoever answers. Those who ask for the same person share an
 * answer, as long as its question hasn't been put yet: an answer always tells of what was so after
 * it was asked for. Thread-safe.
 */
final class LookUps {
  /** Enough to keep an owner in another process busy. */
  private static final int AT_ONCE = 64;

  private final AdmissionQueries queries;
  private final AnswerDelivery delivery;
  private final Map<Question, List<Asker>> waiting = new LinkedHashMap<>();
  private int underWay;

  /**
   * @param roomId null: in whatever room
   */
  record Question(String roomId, String requestId) {}

  /** Who wants an answer. */
  interface Asker {
    /** Whether it is still wanted. */
    boolean isWaiting();

    /** The answer, or why there is no sure one. */
    void answered(List<PersonView> people, Throwable failure);
  }

  /**
   * @param workers bring answers; must not block
   */
  LookUps(AdmissionQueries queries, Executor workers) {
    this.queries = queries;
    this.delivery = new AnswerDelivery(workers);
  }

  /** Asks on behalf of {@code asker}, who is answered once. */
  void ask(Question question, Asker asker) {
    synchronized (waiting) {
      waiting.computeIfAbsent(question, same -> new ArrayList<>(3)).add(asker);
    }
    putNext();
  }

  private void putNext() {
    Map.Entry<Question, List<Asker>> next = next();
    while (next != null) {
      List<Asker> askers = next.getValue();
      delivery.deliver(
          put(next.getKey()),
          (people, failure) -> {
            synchronized (waiting) {
              underWay--;
            }
            putNext();
            askers.forEach(asker -> asker.answered(people, failure));
          });
      next = next();
    }
  }

  /** The question to put now; null when none waits that anyone cares about, or enough are put. */
  private Map.Entry<Question, List<Asker>> next() {
    synchronized (waiting) {
      Iterator<Map.Entry<Question, List<Asker>>> all = waiting.entrySet().iterator();
      while (underWay < AT_ONCE && all.hasNext()) {
        Map.Entry<Question, List<Asker>> first = all.next();
        Map.Entry<Question, List<Asker>> longest = Map.entry(first.getKey(), first.getValue());
        all.remove();
        if (longest.getValue().stream().anyMatch(Asker::isWaiting)) {
          underWay++;
          return longest;
        }
      }
      return null;
    }
  }

  private CompletableFuture<List<PersonView>> put(Question question) {
    return question.roomId() == null
        ? queries.people(question.requestId())
        : queries
            .person(question.roomId(), question.requestId(), AdmissionQueries.ANY)
            .thenApply(person -> person.map(List::of).orElseGet(List::of));
  }

  /** Questions that wait or are under way. */
  int open() {
    synchronized (waiting) {
      return waiting.size() + underWay;
    }
  }
}
