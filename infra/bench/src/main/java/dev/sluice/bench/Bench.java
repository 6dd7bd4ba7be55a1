package dev.sluice.bench;

import dev.sluice.bench.demo.DemoCommand;
import dev.sluice.bench.rank.RankCommand;
import dev.sluice.bench.start.StartCommand;
import dev.sluice.bench.topology.TopologyCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The program of {@code make demo} and {@code make bench}. */
@Command(
    name = "bench",
    description = "Sluice's demonstration and benchmarks.",
    mixinStandardHelpOptions = true,
    subcommands = {DemoCommand.class, RankCommand.class, StartCommand.class, TopologyCommand.class})
public final class Bench {
  private Bench() {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new Bench()).execute(arguments));
  }
}
