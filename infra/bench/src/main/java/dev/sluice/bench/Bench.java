package dev.sluice.bench;

import dev.sluice.bench.admission.AdmissionCommand;
import dev.sluice.bench.demo.DemoCommand;
import dev.sluice.bench.demo.HotDemoCommand;
import dev.sluice.bench.hot.CountingCommand;
import dev.sluice.bench.hot.HotCommand;
import dev.sluice.bench.kinesis.KinesisCommand;
import dev.sluice.bench.push.PushCommand;
import dev.sluice.bench.push.ReconnectCommand;
import dev.sluice.bench.push.SoakCommand;
import dev.sluice.bench.rank.RankCommand;
import dev.sluice.bench.start.StartCommand;
import dev.sluice.bench.topology.TopologyCommand;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The program of {@code make demo} and {@code make bench}. */
@Command(
    name = "bench",
    description = "Sluice's demonstration and benchmarks.",
    mixinStandardHelpOptions = true,
    subcommands = {
      DemoCommand.class,
      HotDemoCommand.class,
      RankCommand.class,
      StartCommand.class,
      AdmissionCommand.class,
      CountingCommand.class,
      HotCommand.class,
      KinesisCommand.class,
      PushCommand.class,
      ReconnectCommand.class,
      SoakCommand.class,
      TopologyCommand.class
    })
public final class Bench {
  private static final List<String> RANK = List.of("index", "start");
  private static final List<String> ADMISSION = List.of("topology", "http");
  private static final List<String> HOT = List.of("counting", "hot");
  private static final List<String> PUSH = List.of("push", "reconnect");

  private static final String KINESIS = "kinesis";

  private Bench() {}

  public static void main(String[] arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    boolean isBenchmark = !all.isEmpty() && !all.get(0).startsWith("demo");
    if (isBenchmark && "1".equals(System.getenv("QUICK"))) {
      all.add("--quick");
    }
    System.exit(new CommandLine(new Bench()).execute(all.toArray(new String[0])));
  }

  @Command(
      name = "rank",
      description = "The rank index, and coming back with a crowd: index, start.")
  int rank(@Option(names = "--quick", description = "For trying.") boolean quick) {
    return run(RANK, quick);
  }

  @Command(name = "admission", description = "Entries, alone and over HTTP: topology, http.")
  int admission(@Option(names = "--quick", description = "For trying.") boolean quick) {
    return run(ADMISSION, quick);
  }

  @Command(name = "all", description = "Every benchmark, one after another.")
  int all(@Option(names = "--quick", description = "For trying.") boolean quick) {
    List<String> all = new ArrayList<>(RANK);
    all.addAll(ADMISSION);
    all.addAll(HOT);
    all.addAll(PUSH);
    all.add(KINESIS);
    return run(all, quick);
  }

  private int run(List<String> benchmarks, boolean quick) {
    int worst = 0;
    for (String benchmark : benchmarks) {
      System.out.println("\n== " + benchmark + "\n");
      CommandLine command = new CommandLine(new Bench());
      int code = quick ? command.execute(benchmark, "--quick") : command.execute(benchmark);
      worst = Math.max(worst, code);
    }
    return worst;
  }
}
