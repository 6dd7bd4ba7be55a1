package dev.sluice.standalone;

import dev.sluice.standalone.RoomClient.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/**
 * People who talk, read, come and go in one room all the time, whatever happens to the process, and
 * what they were told.
 */
final class Storm {
  private static final int TALKERS = 8;
  private static final long BETWEEN_MILLIS = 10;
  private static final long BETWEEN_FETCHES_MILLIS = 50;
  private static final String[] FROM = {"KR\",\"app\":\"ios", "US\",\"app\":\"web", "KR"};

  private final Supplier<RoomClient> room;
  private final Map<Long, String> acknowledged = new ConcurrentHashMap<>();
  private final Set<String> unsure = ConcurrentHashMap.newKeySet();
  private final Map<Long, String> fetched = new TreeMap<>();
  private final List<String> faults = new ArrayList<>();
  private final AtomicInteger members = new AtomicInteger();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean talking = true;
  private volatile boolean reading = true;
  private volatile long readTo = -1;

  /** What somebody does once; whether it was acknowledged. */
  private interface Act {
    boolean done() throws IOException, InterruptedException;
  }

  /**
   * @param room where it is now
   */
  Storm(Supplier<RoomClient> room) {
    this.room = room;
    for (int i = 0; i < TALKERS; i++) {
      String talker = "t" + i;
      threads.add(new Thread(() -> talk(talker), "talker " + i));
    }
    threads.add(new Thread(this::comeAndGo, "members"));
    threads.add(new Thread(this::read, "reader"));
    threads.forEach(Thread::start);
  }

  private void talk(String talker) {
    for (int i = 0; talking; i++) {
      String said = talker + "-" + i;
      String event =
          "{\"kind\":\"MESSAGE\",\"userId\":\"%s\",\"country\":\"%s\",\"payload\":\"%s\"}"
              .formatted(talker, FROM[i % FROM.length], said);
      boolean done =
          attempt(
              () -> {
                Answer answer = room.get().call("/events", event);
                if (answer.status() == 202) {
                  String before = acknowledged.put(answer.body().get("cursor").asLong(), said);
                  note(before == null, () -> "one cursor of " + before + " and " + said);
                }
                return answer.status() == 202;
              });
      if (!done) {
        unsure.add(said);
      }
      pause(done ? BETWEEN_MILLIS : 50);
    }
  }

  /** Each comes until that is acknowledged, and every third goes likewise. */
  private void comeAndGo() {
    for (int i = 0; talking; i++) {
      String user = "{\"userId\":\"u-" + i + "\"}";
      until(() -> room.get().call("/join", user).status() == 202);
      if (i % 3 == 0) {
        until(() -> room.get().call("/leave", user).status() == 202);
      } else {
        members.incrementAndGet();
      }
      pause(10);
    }
  }

  private void read() {
    while (reading) {
      attempt(
          () -> {
            Answer page = room.get().call("/events?limit=500&after=" + readTo, null);
            if (page.status() == 200) {
              for (JsonNode event : page.body().get("events")) {
                long cursor = event.get("cursor").asLong();
                long last = readTo;
                note(cursor > last, () -> cursor + " after " + last);
                readTo = cursor;
                fetched.put(cursor, event.get("payload").asString());
              }
            }
            return true;
          });
      pause(BETWEEN_FETCHES_MILLIS);
    }
  }

  private static void until(Act act) {
    while (!attempt(act)) {
      pause(50);
    }
  }

  private static boolean attempt(Act act) {
    try {
      return act.done();
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void pause(long millis) {
    try {
      TimeUnit.MILLISECONDS.sleep(millis);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void note(boolean right, Supplier<String> fault) {
    if (!right) {
      synchronized (faults) {
        faults.add(fault.get());
      }
    }
  }

  /** Says no more; everyone else stops once what was said has been read. */
  void end() throws InterruptedException {
    talking = false;
    for (Thread thread : threads.subList(0, threads.size() - 1)) {
      thread.join();
    }
    long last = acknowledged.keySet().stream().mapToLong(Long::longValue).max().orElse(-1);
    long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (readTo < last && System.nanoTime() < giveUp) {
      pause(20);
    }
    reading = false;
    threads.get(threads.size() - 1).join();
  }

  int said() {
    return acknowledged.size();
  }

  /** What was acknowledged, by its cursor. */
  Map<Long, String> acknowledged() {
    return Map.copyOf(acknowledged);
  }

  /** What may have been logged or not. */
  Set<String> unsure() {
    return Set.copyOf(unsure);
  }

  /** What was read, by its cursor; once it has ended. */
  Map<Long, String> fetched() {
    return fetched;
  }

  int members() {
    return members.get();
  }

  List<String> faults() {
    synchronized (faults) {
      return List.copyOf(faults);
    }
  }
}
