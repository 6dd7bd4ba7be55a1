package dev.sluice.bench.topology;

import dev.sluice.bench.Installation;
import dev.sluice.bench.Producing;
import dev.sluice.bench.process.ChildProcess;
import dev.sluice.bench.process.FreePorts;
import dev.sluice.bench.report.Report;
import dev.sluice.broker.EmbeddedBroker;
import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Command;
import dev.sluice.contract.Topics;
import dev.sluice.runtime.TopicsStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/**
 * {@code bench topology}: how many commands a second the topology applies by itself, to one room
 * and so in one partition, when the log is full and the broker has a JVM of its own.
 */
@picocli.CommandLine.Command(
    name = "topology",
    description = "Commands a second of one room through the topology alone.",
    mixinStandardHelpOptions = true)
public final class TopologyCommand implements Callable<Integer> {
  private static final String ROOM = "one-room";
  private static final Duration AT_MOST = Duration.ofMinutes(5);
  private static final Duration BROKER_STARTS_WITHIN = Duration.ofMinutes(1);
  private static final int LEAVE_EVERY = 10;

  /** A tenth of those who enter are admitted. */
  private static final int ADMITTED_PART = 10;

  @Option(names = "--quick", description = "A tenth of the commands and one run: for trying.")
  private boolean quick;

  @Option(names = "--runs", description = "How often; the median counts.")
  private Integer wantedRuns;

  @Option(
      names = "--java-option",
      description = "For the JVM of the topology, such as a flight recording.")
  private List<String> javaOptions = List.of();

  @Override
  public Integer call() throws Exception {
    int commands = quick ? 300_000 : 3_000_000;
    int runs = wantedRuns != null ? wantedRuns : quick ? 1 : 3;
    Report report = new Report("topology", Instant.now());
    List<Applied> all = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      Applied applied = run(commands);
      System.out.printf(
          "run %d: %,.0f commands/s in all, %,.0f in the second half%n",
          run + 1, applied.perSecond(), applied.perSecondOfSecondHalf());
      all.add(applied);
    }
    all.sort((a, b) -> Double.compare(a.perSecond(), b.perSecond()));
    Applied median = all.get(runs / 2);
    report.add("one room, whole run", "topology", median.perSecond(), "commands/s");
    report.add(
        "one room, warm (second half)",
        "topology",
        median.perSecondOfSecondHalf(),
        "commands/s",
        "120,000");
    report.add("processor time", "topology", median.cpuMicros(), "us/command");
    report.print(System.out);
    System.out.println("\nKept in " + report.save(Installation.results()));
    return 0;
  }

  /** What the topology's process printed at its end. */
  record Applied(double perSecond, double perSecondOfSecondHalf, double cpuMicros) {}

  private Applied run(int commands) throws Exception {
    int port = FreePorts.next();
    String kafka = "127.0.0.1:" + port;
    try (Installation.Scratch scratch = Installation.scratch("sluice-bench-topology")) {
      Path directory = scratch.directory();
      List<String> broker = java(List.of("-Xmx1g"), EmbeddedBroker.class);
      broker.addAll(List.of(directory.resolve("broker").toString(), String.valueOf(port)));
      Path log = directory.resolve("topology.log");
      Path brokerLog = directory.resolve("broker.log");
      try (ChildProcess serving = ChildProcess.start("broker", broker, Map.of(), brokerLog)) {
        awaitLine(serving, brokerLog, "ready ", BROKER_STARTS_WITHIN);
        Topics topics = new Topics(Topics.DEFAULT_PREFIX, Topics.DEFAULT_PARTITIONS);
        new TopicsStep(Map.of("bootstrap.servers", kafka), topics, (short) 1).run();
        preload(kafka, topics, commands);
        List<String> child = new ArrayList<>(List.of("-Xmx3g"));
        child.addAll(javaOptions);
        List<String> command = java(child, TopologyProcess.class);
        command.addAll(
            List.of(kafka, directory.resolve("state").toString(), String.valueOf(commands)));
        try (ChildProcess topology = ChildProcess.start("topology", command, Map.of(), log)) {
          return awaitResult(topology, log);
        }
      }
    }
  }

  private static List<String> java(List<String> options, Class<?> main) {
    List<String> command = new ArrayList<>();
    command.add(ChildProcess.java());
    command.addAll(options);
    command.add("-cp");
    command.add(Installation.classPath());
    command.add(main.getName());
    return command;
  }

  private static void preload(String kafka, Topics topics, int commands) {
    Random random = new Random(7);
    try (Producing log = new Producing(kafka, topics, ROOM)) {
      int enters = commands - 1 - commands / LEAVE_EVERY;
      log.append(
          new Command.Configure(
              List.of(
                  new AcceptedSetting(
                      "admission.capacity", ROOM, String.valueOf(enters / ADMITTED_PART), 0),
                  new AcceptedSetting("admission.session-timeout", ROOM, "\"24h\"", 0),
                  new AcceptedSetting("admission.max-session", ROOM, "\"24h\"", 0),
                  new AcceptedSetting("admission.max-per-session", ROOM, "1000000", 0))));
      int entered = 0;
      for (int i = 1; i < commands; i++) {
        if (i % LEAVE_EVERY == 0) {
          int ticket = 1 + random.nextInt(entered);
          log.append(new Command.Leave(ROOM, "p" + ticket, ticket));
        } else {
          entered++;
          log.append(new Command.Enter(ROOM, "p" + entered, "session-" + entered % 100_000));
        }
      }
      log.flush();
    }
  }

  private static Applied awaitResult(ChildProcess topology, Path log) throws Exception {
    String line = awaitLine(topology, log, TopologyProcess.RESULT, AT_MOST);
    String[] figures = line.substring(TopologyProcess.RESULT.length()).split(" ");
    return new Applied(
        Double.parseDouble(figures[0]),
        Double.parseDouble(figures[1]),
        Double.parseDouble(figures[2]));
  }

  /** The line that begins so, once {@code process} has printed it. */
  private static String awaitLine(ChildProcess process, Path log, String begin, Duration atMost)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (System.nanoTime() - deadline < 0) {
      for (String line : Files.readAllLines(log)) {
        if (line.startsWith(begin)) {
          return line;
        }
      }
      if (!process.isAlive()) {
        break;
      }
      Thread.sleep(100);
    }
    throw new IllegalStateException(
        process + " did not say \"" + begin + "\":\n" + process.lastWords());
  }
}
