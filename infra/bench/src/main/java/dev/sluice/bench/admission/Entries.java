package dev.sluice.bench.admission;

import dev.sluice.bench.Blocking;
import dev.sluice.bench.PersonAnswer;
import dev.sluice.bench.SluiceApi;
import dev.sluice.bench.http.HttpLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * New people who enter one server's rooms, as fast as connections allow or at a steady rate. Not
 * thread-safe.
 */
final class Entries {
  private static final int SESSIONS = 1_000;
  private static final long SLOWEST_MICROS = TimeUnit.MINUTES.toMicros(5);

  private final SluiceApi api;
  private final List<String> sessions = new ArrayList<>();
  private long people;

  /**
   * What one round measured.
   *
   * @param answered entries answered with a place
   * @param errors entries answered otherwise, or not at all
   * @param micros time of each, from when it was due to be sent
   */
  record Round(long answered, long errors, Duration took, Histogram micros) {
    double perSecond() {
      return answered / (took.toNanos() / 1e9);
    }

    double millis(double percentile) {
      return micros.getValueAtPercentile(percentile) / 1000.0;
    }
  }

  private Entries(SluiceApi api) {
    this.api = api;
  }

  /** Gets sessions for people to enter with; they share them, since nobody measures issuing. */
  static Entries at(InetSocketAddress server) throws IOException {
    Entries entries = new Entries(new SluiceApi(server, null));
    for (int i = 0; i < SESSIONS; i++) {
      Blocking.Answer answer = Blocking.call(server, entries.api.issueSession());
      entries.sessions.add(PersonAnswer.read(answer.body()).sessionId());
    }
    return entries;
  }

  SluiceApi api() {
    return api;
  }

  String sessionOf(long person) {
    return sessions.get((int) (person % SESSIONS));
  }

  static String nameOf(long person) {
    return "p" + person;
  }

  byte[] enter(String room, long person) {
    return api.enter(sessionOf(person), room, nameOf(person));
  }

  /** Every connection enters the next person as soon as its last answer is there. */
  Round closedLoop(String room, int connections, Duration length) throws IOException {
    Counter counter = new Counter();
    long start = System.nanoTime();
    long end = start + length.toNanos();
    try (HttpLoop loop = new HttpLoop(api.server(), connections)) {
      for (int i = 0; i < connections; i++) {
        enterUntil(loop, counter, room, end);
      }
      loop.run(() -> System.nanoTime() - end >= 0);
      Round round = counter.round(Duration.ofNanos(System.nanoTime() - start));
      loop.run(() -> loop.unanswered() == 0);
      return round;
    }
  }

  private void enterUntil(HttpLoop loop, Counter counter, String room, long end) {
    if (System.nanoTime() - end >= 0) {
      return;
    }
    byte[] request = enter(room, people++);
    counter.send(loop, request, System.nanoTime(), () -> enterUntil(loop, counter, room, end));
  }

  /**
   * People come at a steady rate whether or not earlier ones have been answered, and each one's
   * time counts from when they came: a server that stalls is charged for all who came meanwhile (no
   * coordinated omission).
   */
  Round openLoop(String room, int perSecond, Duration length, int connections) throws IOException {
    Counter counter = new Counter();
    long total = perSecond * length.toSeconds();
    long interval = TimeUnit.SECONDS.toNanos(1) / perSecond;
    try (HttpLoop loop = new HttpLoop(api.server(), connections)) {
      long start = System.nanoTime();
      long[] come = new long[1];
      Runnable[] next = new Runnable[1];
      next[0] =
          () -> {
            long now = System.nanoTime();
            while (come[0] < total && start + come[0] * interval - now <= 0) {
              long due = start + come[0] * interval;
              come[0]++;
              counter.send(loop, enter(room, people++), due, () -> {});
            }
            if (come[0] < total) {
              loop.at(start + come[0] * interval, next[0]);
            }
          };
      next[0].run();
      loop.run(() -> come[0] == total && loop.unanswered() == 0);
      return counter.round(Duration.ofNanos(System.nanoTime() - start));
    }
  }

  private static final class Counter {
    private final Histogram micros = new Histogram(SLOWEST_MICROS, 3);
    private long errors;

    void send(HttpLoop loop, byte[] request, long due, Runnable then) {
      loop.send(
          request,
          new HttpLoop.Callback() {
            @Override
            public void answered(int status, byte[] body) {
              if (status == 200 || (status == 202 && !isPending(body))) {
                long took = (System.nanoTime() - due) / 1000;
                micros.recordValue(Math.min(SLOWEST_MICROS, took));
              } else {
                errors++;
              }
              then.run();
            }

            @Override
            public void failed(IOException cause) {
              errors++;
              then.run();
            }
          });
    }

    Round round(Duration took) {
      return new Round(micros.getTotalCount(), errors, took, micros.copy());
    }

    private static boolean isPending(byte[] body) {
      return new String(body, StandardCharsets.UTF_8).contains("\"PENDING\"");
    }
  }
}
