package dev.sluice.crash;

import dev.sluice.contract.PersonStatus;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.PersonView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Asks about people all the time, whatever happens to the processes, and remembers what it was
 * told: no answer may be older than one before, and no rank may rise.
 */
final class Witness implements AutoCloseable {
  private final AdmissionQueries queries;
  private final String room;
  private final List<String> people = new CopyOnWriteArrayList<>();
  private final Map<String, PersonView> told = new ConcurrentHashMap<>();
  private final List<String> complaints = new CopyOnWriteArrayList<>();
  private final AtomicInteger answers = new AtomicInteger();
  private final Thread thread = new Thread(this::askOn, "witness");
  private volatile boolean closed;

  Witness(AdmissionQueries queries, String room) {
    this.queries = queries;
    this.room = room;
    thread.setDaemon(true);
    thread.start();
  }

  /** From now on it asks about this person, who has been told to have entered. */
  void watch(String person) {
    people.add(person);
  }

  private void askOn() {
    while (!closed) {
      try {
        if (people.isEmpty()) {
          Thread.sleep(5);
          continue;
        }
        String person = people.get(ThreadLocalRandom.current().nextInt(people.size()));
        queries
            .person(room, person, AdmissionQueries.ANY)
            .handle((answer, noSureAnswer) -> answer == null ? null : judge(person, answer))
            .get(10, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        return;
      } catch (Exception e) {
        complaints.add("no reply at all about a person: " + e);
      }
    }
  }

  private Void judge(String name, Optional<PersonView> answer) {
    answers.incrementAndGet();
    if (answer.isEmpty()) {
      complaints.add(name + " had entered and is unknown");
      return null;
    }
    PersonView now = answer.get();
    PersonView before = told.put(name, now);
    if (before == null) {
      return null;
    }
    if (before.version().isNewerThan(now.version())) {
      complaints.add("older: " + before + " and then " + now);
    }
    if (now.ticket() != before.ticket()) {
      complaints.add("another ticket: " + before + " and then " + now);
    }
    if (now.status() == PersonStatus.WAITING && now.rank() > before.rank()) {
      complaints.add("the rank rose: " + before + " and then " + now);
    }
    return null;
  }

  /** What it was told, by person. */
  Map<String, PersonView> told() {
    return told;
  }

  int answers() {
    return answers.get();
  }

  List<String> complaints() {
    return complaints;
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    thread.join(15_000);
  }
}
