package dev.sluice.bench.rank;

import java.util.SplittableRandom;
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
import org.openjdk.jmh.infra.Blackhole;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;

/** {@code ZRANK} over loopback: what one would use in the index's place. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RedisRankBenchmark {
  private static final int PIPELINED = 100;

  /** People who entered; a third of them has left. */
  @Param({"1000000", "10000000"})
  private int entered;

  /** Of the Redis that {@link RedisQueue} has filled. */
  @Param("0")
  private int port;

  private final SplittableRandom random = new SplittableRandom(1);
  private WaitingTickets tickets;
  private Jedis jedis;
  private String key;

  @Setup(Level.Trial)
  public void connect() {
    tickets = WaitingTickets.of(entered);
    key = RedisQueue.key(entered);
    jedis = new Jedis("127.0.0.1", port);
  }

  @TearDown(Level.Trial)
  public void disconnect() {
    jedis.close();
  }

  @Benchmark
  public Long rank() {
    return jedis.zrank(key, someone());
  }

  /** A hundred ranks in one round trip: the best that a caller with many questions can do. */
  @Benchmark
  @OperationsPerInvocation(PIPELINED)
  public void rankPipelined(Blackhole blackhole) {
    Pipeline pipeline = jedis.pipelined();
    Response<?>[] answers = new Response<?>[PIPELINED];
    for (int i = 0; i < PIPELINED; i++) {
      answers[i] = pipeline.zrank(key, someone());
    }
    pipeline.sync();
    for (Response<?> answer : answers) {
      blackhole.consume(answer.get());
    }
  }

  private String someone() {
    return RedisQueue.member(tickets.ticket(random.nextInt(tickets.count())));
  }
}
