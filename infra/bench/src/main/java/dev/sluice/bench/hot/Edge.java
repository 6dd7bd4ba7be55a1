package dev.sluice.bench.hot;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.Topics;
import dev.sluice.hot.edge.EdgeCounters;
import dev.sluice.log.SumFlusher;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** An edge in this process, as each API has one, that counts reads of rooms. */
final class Edge implements AutoCloseable {
  private final SumFlusher flusher;
  private final EdgeCounters counters;

  Edge(String kafka, long threshold) {
    flusher =
        new SumFlusher(
            Map.of("bootstrap.servers", kafka),
            new Topics(Topics.DEFAULT_PREFIX, Topics.DEFAULT_PARTITIONS));
    counters =
        new EdgeCounters(
            "bench-" + Long.toString(System.nanoTime(), 36),
            50_000,
            room -> Math.max(1, threshold / 10),
            flusher::wake);
    flusher.start(counters);
  }

  void count(String room, int events) {
    for (int i = 0; i < events; i++) {
      if (!counters.count(room, EventKind.FETCH, "KR", "ios")) {
        throw new IllegalStateException("an event of " + room + " wasn't counted");
      }
    }
  }

  /** Counts in one room at a steady rate until closed. */
  Storm storm(String room, int perSecond) {
    return new Storm(room, perSecond);
  }

  @Override
  public void close() {
    flusher.close();
  }

  /** A thread that counts so many events a second in a room. */
  final class Storm implements AutoCloseable {
    private final AtomicBoolean over = new AtomicBoolean();
    private final Thread thread;
    private final long begun = System.nanoTime();
    private volatile long sent;

    Storm(String room, int perSecond) {
      thread =
          new Thread(
              () -> {
                while (!over.get()) {
                  long due = (long) ((System.nanoTime() - begun) / 1e9 * perSecond);
                  count(room, (int) Math.min(perSecond, due - sent));
                  sent = due;
                  LockSupport.parkNanos(1_000_000);
                }
              },
              "storm");
      thread.start();
    }

    long sent() {
      return sent;
    }

    double perSecond() {
      return sent / ((System.nanoTime() - begun) / 1e9);
    }

    @Override
    public void close() throws InterruptedException {
      over.set(true);
      thread.join();
    }
  }
}
