package dev.sluice.bench.topology;

import dev.sluice.contract.Topics;
import dev.sluice.log.CommandLog;
import dev.sluice.runtime.TopologyConfig;
import dev.sluice.runtime.TopologyRuntime;
import dev.sluice.settings.SettingsFollower;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The topology in a JVM of its own: applies what is in the log, prints at which rate, and ends.
 * Arguments: Kafka, the state directory, the number of commands.
 */
public final class TopologyProcess {
  /** Begins the line with commands a second, the same of the second half, and µs of processor. */
  static final String RESULT = "applied ";

  private TopologyProcess() {}

  public static void main(String[] arguments) throws InterruptedException {
    Map<String, Object> kafka = Map.of("bootstrap.servers", arguments[0]);
    int commands = Integer.parseInt(arguments[2]);
    Topics topics = new Topics(Topics.DEFAULT_PREFIX, Topics.DEFAULT_PARTITIONS);
    TopologyConfig config = TopologyConfig.of(kafka, topics, Path.of(arguments[1]), "bench");
    try (CommandLog log = new CommandLog(kafka, topics, CommandLog.Limits.DEFAULT);
        SettingsFollower settings =
            new SettingsFollower(kafka, topics, config.settingsApplication());
        TopologyRuntime topology = new TopologyRuntime(config, log, settings)) {
      settings.start();
      topology.start();
      measure(topology, commands);
    }
  }

  private static void measure(TopologyRuntime topology, int commands) throws InterruptedException {
    long begin = 0;
    long middle = 0;
    long first = 0;
    long half = 0;
    long cpu = 0;
    long applied = 0;
    while (applied < commands) {
      Thread.sleep(5);
      applied = topology.metrics().commandsApplied();
      long now = System.nanoTime();
      if (begin == 0 && applied > 0) {
        begin = now;
        first = applied;
        cpu = cpuNanos();
      }
      if (middle == 0 && applied >= commands / 2) {
        middle = now;
        half = applied;
      }
    }
    long end = System.nanoTime();
    System.out.printf(
        Locale.ROOT,
        "%s%.0f %.0f %.3f%n",
        RESULT,
        perSecond(applied - first, end - begin),
        perSecond(applied - half, end - middle),
        (cpuNanos() - cpu) / 1000.0 / (applied - first));
  }

  private static double perSecond(long count, long nanos) {
    return (double) count * TimeUnit.SECONDS.toNanos(1) / nanos;
  }

  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
