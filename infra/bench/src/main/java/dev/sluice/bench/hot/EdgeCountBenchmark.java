package dev.sluice.bench.hot;

import dev.sluice.contract.EventKind;
import dev.sluice.hot.edge.EdgeCounters;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Counting one event at an edge, while its sums are flushed every 50 ms as in life. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EdgeCountBenchmark {
  /** Rooms, one of them at random for each event. */
  @Param({"1", "2000"})
  private int rooms;

  private String[] ids;
  private EdgeCounters counters;
  private ScheduledExecutorService flusher;
  private long ticks;

  @Setup(Level.Trial)
  public void start() {
    ids = Rooms.named(rooms);
    counters = new EdgeCounters("bench", 50_000, room -> 500, () -> {});
    flusher = Executors.newSingleThreadScheduledExecutor();
    counters.tick(System.currentTimeMillis());
    var unused = flusher.scheduleAtFixedRate(this::tickAndFlush, 10, 10, TimeUnit.MILLISECONDS);
  }

  private void tickAndFlush() {
    long now = System.currentTimeMillis();
    counters.tick(now);
    counters.flushUrgent(now);
    if (++ticks % 5 == 0) {
      counters.flush(now);
    }
  }

  @TearDown(Level.Trial)
  public void stop() {
    flusher.shutdownNow();
  }

  @Benchmark
  public boolean count() {
    String room = ids[rooms == 1 ? 0 : ThreadLocalRandom.current().nextInt(rooms)];
    return counters.count(room, EventKind.FETCH, "KR", "ios");
  }
}
