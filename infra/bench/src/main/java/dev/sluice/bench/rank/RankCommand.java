package dev.sluice.bench.rank;

import dev.sluice.bench.Installation;
import dev.sluice.bench.Jmh;
import dev.sluice.bench.process.RedisProcess;
import dev.sluice.bench.report.Report;
import java.time.Instant;
import java.util.Collection;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import redis.clients.jedis.Jedis;

/** {@code bench index}: what a rank and a departure cost, in process and in Redis. */
@Command(
    name = "index",
    description = "Rank and leave at 1 M and 10 M waiting, and the same in Redis.",
    mixinStandardHelpOptions = true)
public final class RankCommand implements Callable<Integer> {
  @Option(names = "--quick", description = "1 M only and few iterations: for trying.")
  private boolean quick;

  @Override
  public Integer call() throws Exception {
    Report report = new Report("rank", Instant.now());
    int[] sizes = quick ? new int[] {1_000_000} : new int[] {1_000_000, 10_000_000};
    for (int size : sizes) {
      report.add(
          "heap at " + words(size),
          "index",
          IndexMemory.bytesPerPerson(size),
          "B/person",
          "under 1");
    }
    for (RunResult result : measure(RankBenchmark.class, sizes, 0)) {
      add(report, result, "index");
    }
    try (Installation.Scratch scratch = Installation.scratch("sluice-bench-rank");
        RedisProcess redis = RedisProcess.start(scratch.directory(), false);
        Jedis jedis = new Jedis("127.0.0.1", redis.port(), 60_000)) {
      for (int size : sizes) {
        RedisQueue.fill(jedis, size);
        double bytes = (double) RedisQueue.bytes(jedis, size) / WaitingTickets.of(size).count();
        report.add("heap at " + words(size), "redis", bytes, "B/person");
      }
      for (RunResult result : measure(RedisRankBenchmark.class, sizes, redis.port())) {
        add(report, result, "redis");
      }
    }
    System.out.println();
    report.print(System.out);
    System.out.println("\nKept in " + report.save(Installation.results()));
    return 0;
  }

  private Collection<RunResult> measure(Class<?> benchmark, int[] sizes, int port)
      throws Exception {
    String[] entered = new String[sizes.length];
    for (int i = 0; i < sizes.length; i++) {
      entered[i] = String.valueOf(sizes[i]);
    }
    return new Runner(
            Jmh.options(benchmark, quick, port).param("entered", entered).jvmArgs("-Xmx2g").build())
        .run();
  }

  private static void add(Report report, RunResult result, String subject) {
    String label = result.getPrimaryResult().getLabel();
    int size = Integer.parseInt(result.getParams().getParam("entered"));
    boolean isGoal = subject.equals("index") && label.equals("rank");
    report.add(
        label + " at " + words(size),
        subject,
        result.getPrimaryResult().getScore() / 1000,
        "us",
        isGoal ? "under 0.3" : "");
  }

  private static String words(int size) {
    return String.format(Locale.ROOT, "%d M entered", size / 1_000_000);
  }
}
