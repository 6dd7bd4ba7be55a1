package dev.sluice.bench.rank;

import dev.sluice.admission.RankIndex;
import java.util.SplittableRandom;
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

/** The index in process, at random tickets, so that caches help as little as they do in life. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RankBenchmark {
  /** People who entered; a third of them has left. */
  @Param({"1000000", "10000000"})
  private int entered;

  private final SplittableRandom random = new SplittableRandom(1);
  private WaitingTickets tickets;
  private RankIndex index;

  @Setup(Level.Trial)
  public void fill() {
    tickets = WaitingTickets.of(entered);
    index = WaitingTickets.index(entered);
  }

  @Benchmark
  public long rank() {
    return index.rank(someone());
  }

  /** Someone leaves from anywhere in the queue; the index before it stays valid for readers. */
  @Benchmark
  public RankIndex leave() {
    return index.without(someone());
  }

  /** Someone leaves and the one behind asks their rank in what remains. */
  @Benchmark
  public long leaveThenRank() {
    int position = random.nextInt(tickets.count() - 1);
    return index.without(tickets.ticket(position)).rank(tickets.ticket(position + 1));
  }

  private long someone() {
    return tickets.ticket(random.nextInt(tickets.count()));
  }
}
