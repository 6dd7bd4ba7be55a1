package dev.sluice.bench.hot;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

/** A sliding window in Redis: a counter a room and second, with an expiry. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RedisWindowBenchmark {
  private static final int PIPELINED = 100;
  private static final long KEPT_SECONDS = 10;

  /** Rooms, one of them at random for each event. */
  @Param({"1", "2000"})
  private int rooms;

  @Param("0")
  private int port;

  private String[] ids;
  private Jedis jedis;

  @Setup(Level.Trial)
  public void connect() {
    ids = Rooms.named(rooms);
    jedis = new Jedis("127.0.0.1", port);
  }

  @TearDown(Level.Trial)
  public void disconnect() {
    jedis.close();
  }

  @Benchmark
  public void count() {
    Pipeline pipeline = jedis.pipelined();
    count(pipeline);
    pipeline.sync();
  }

  /** A hundred events in one round trip, as a caller with a buffer would. */
  @Benchmark
  @OperationsPerInvocation(PIPELINED)
  public void countPipelined() {
    Pipeline pipeline = jedis.pipelined();
    for (int i = 0; i < PIPELINED; i++) {
      count(pipeline);
    }
    pipeline.sync();
  }

  private void count(Pipeline pipeline) {
    String room = ids[rooms == 1 ? 0 : ThreadLocalRandom.current().nextInt(rooms)];
    String key = room + ":" + System.currentTimeMillis() / 1_000;
    pipeline.incr(key);
    pipeline.expire(key, KEPT_SECONDS);
  }
}
