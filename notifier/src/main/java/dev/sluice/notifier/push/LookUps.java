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
import java.util.stream.Collectors;

/**
 * Looks people up, a few questions at a time, each for as many people of a room as wait then, so
 * that ten thousand who come back at once don't run over whoever answers. Those who ask for the
 * same person share an answer, as long as its question hasn't been put yet: an answer always tells
 * of what was so after it was asked for. Thread-safe.
 */
final class LookUps {
  /** Enough to keep an owner in another process busy. */
  private static final int AT_ONCE = 8;

  /** In one question: some 32 KiB of names at most. */
  private static final int PEOPLE = 250;

  private final AdmissionQueries queries;
  private final AnswerDelivery delivery;

  /** Who waits for an answer, by room (null: whatever room) and person. */
  private final Map<String, Map<String, List<Asker>>> waiting = new LinkedHashMap<>();

  private int underWay;

  /** Who wants an answer. */
  interface Asker {
    /** Whether it is still wanted. */
    boolean isWaiting();

    /** Those of the name, one at most of each room; or why there is no sure answer. */
    void answered(List<PersonView> people, Throwable failure);
  }

  private record Question(String roomId, Map<String, List<Asker>> askers) {}

  /**
   * @param workers bring answers; must not block
   */
  LookUps(AdmissionQueries queries, Executor workers) {
    this.queries = queries;
    this.delivery = new AnswerDelivery(workers);
  }

  /**
   * Asks on behalf of {@code asker}, who is answered once.
   *
   * @param roomId null: in whatever room
   */
  void ask(String roomId, String requestId, Asker asker) {
    synchronized (waiting) {
      waiting
          .computeIfAbsent(roomId, room -> new LinkedHashMap<>(2))
          .computeIfAbsent(requestId, same -> new ArrayList<>(3))
          .add(asker);
    }
    putNext();
  }

  private void putNext() {
    for (Question next = next(); next != null; next = next()) {
      Map<String, List<Asker>> askers = next.askers();
      delivery.deliver(
          put(next.roomId(), List.copyOf(askers.keySet())),
          (people, failure) -> {
            synchronized (waiting) {
              underWay--;
            }
            putNext();
            tell(askers, people, failure);
          });
    }
  }

  /** The question to put now; null when nobody waits, or enough are under way. */
  private Question next() {
    synchronized (waiting) {
      while (underWay < AT_ONCE && !waiting.isEmpty()) {
        Iterator<Map.Entry<String, Map<String, List<Asker>>>> rooms = waiting.entrySet().iterator();
        Map.Entry<String, Map<String, List<Asker>>> first = rooms.next();
        String roomId = first.getKey();
        Map<String, List<Asker>> all = first.getValue();
        rooms.remove();
        Map<String, List<Asker>> asked = takeFrom(all, roomId == null ? 1 : PEOPLE);
        if (!all.isEmpty()) {
          // At the back, so that a crowd holds up no other room.
          waiting.put(roomId, all);
        }
        if (!asked.isEmpty()) {
          underWay++;
          return new Question(roomId, asked);
        }
      }
      return null;
    }
  }

  /** Those first in the line that anyone still cares about. */
  private static Map<String, List<Asker>> takeFrom(Map<String, List<Asker>> all, int atMost) {
    Map<String, List<Asker>> taken = new LinkedHashMap<>();
    Iterator<Map.Entry<String, List<Asker>>> people = all.entrySet().iterator();
    while (taken.size() < atMost && people.hasNext()) {
      Map.Entry<String, List<Asker>> next = people.next();
      String requestId = next.getKey();
      List<Asker> askers = next.getValue();
      people.remove();
      if (askers.stream().anyMatch(Asker::isWaiting)) {
        taken.put(requestId, askers);
      }
    }
    return taken;
  }

  private CompletableFuture<List<PersonView>> put(String roomId, List<String> requestIds) {
    return roomId == null ? queries.people(requestIds.get(0)) : queries.people(roomId, requestIds);
  }

  private static void tell(
      Map<String, List<Asker>> askers, List<PersonView> people, Throwable failure) {
    Map<String, List<PersonView>> found =
        failure == null
            ? people.stream().collect(Collectors.groupingBy(PersonView::requestId))
            : Map.of();
    askers.forEach(
        (requestId, all) -> {
          List<PersonView> ofThem = found.getOrDefault(requestId, List.of());
          all.forEach(asker -> asker.answered(ofThem, failure));
        });
  }

  /** People who wait to be asked for, and questions under way. */
  int open() {
    synchronized (waiting) {
      return waiting.values().stream().mapToInt(Map::size).sum() + underWay;
    }
  }
}
