package dev.sluice.bench.hot;

import dev.sluice.bench.Installation;
import dev.sluice.bench.Jmh;
import dev.sluice.bench.process.RedisProcess;
import dev.sluice.bench.report.Report;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.Callable;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench counting}: what it costs to count an event, and elsewhere. */
@Command(
    name = "counting",
    description = "Counting one event at an edge, by Sentinel, and in Redis.",
    mixinStandardHelpOptions = true)
public final class CountingCommand implements Callable<Integer> {
  @Option(names = "--quick", description = "Few iterations: for trying.")
  private boolean quick;

  @Override
  public Integer call() throws Exception {
    Report report = new Report("counting", Instant.now());
    try (Installation.Scratch scratch = Installation.scratch("sluice-bench-counting");
        RedisProcess redis = RedisProcess.start(scratch.directory(), false)) {
      for (int threads = 1; threads <= Runtime.getRuntime().availableProcessors(); threads *= 2) {
        measure(report, EdgeCountBenchmark.class, "sluice", threads, 0, scratch.directory());
        measure(report, SentinelBenchmark.class, "sentinel", threads, 0, scratch.directory());
        measure(
            report,
            RedisWindowBenchmark.class,
            "redis",
            threads,
            redis.port(),
            scratch.directory());
      }
    }
    System.out.println();
    report.print(System.out);
    System.out.println("\nKept in " + report.save(Installation.results()));
    return 0;
  }

  private void measure(
      Report report, Class<?> benchmark, String subject, int threads, int port, Path directory)
      throws Exception {
    ChainedOptionsBuilder options =
        Jmh.options(benchmark, quick, port)
            .threads(threads)
            .jvmArgs("-Xmx1g", "-Dcsp.sentinel.log.dir=" + directory);
    Collection<RunResult> results = new Runner(options.build()).run();
    for (RunResult result : results) {
      String rooms = result.getParams().getParam("rooms");
      boolean isGoal = subject.equals("sluice") && threads == 1;
      report.add(
          "%s, %s, %s"
              .formatted(
                  result.getPrimaryResult().getLabel(),
                  rooms.equals("1") ? "one room" : rooms + " rooms",
                  threads == 1 ? "1 thread" : threads + " threads"),
          subject,
          result.getPrimaryResult().getScore(),
          "ns",
          isGoal && rooms.equals("1") ? "under 20" : "");
    }
  }
}
