package dev.sluice.bench.demo;

import dev.sluice.bench.SluiceApi;
import dev.sluice.bench.http.HttpLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench demo}: runs an on-sale in the terminal and says whether the invariants held. */
@Command(
    name = "demo",
    description =
        "A simulated on-sale: visitors enter, wait, are admitted, finish, vanish or leave.",
    mixinStandardHelpOptions = true)
public final class DemoCommand extends StagedCommand {
  private static final int CONNECTIONS = 128;

  @Option(names = "--visitors", defaultValue = "10000", description = "Default: ${DEFAULT-VALUE}.")
  private int visitors;

  @Option(
      names = "--places",
      defaultValue = "200",
      description = "Places in the room. Default: ${DEFAULT-VALUE}.")
  private int places;

  @Option(
      names = "--arrival",
      defaultValue = "30",
      description = "Seconds in which all visitors arrive. Default: ${DEFAULT-VALUE}.")
  private int arrivalSeconds;

  @Option(names = "--seed", defaultValue = "1", description = "Of everything random.")
  private long seed;

  @Option(names = "--plain", description = "Plain lines, also on a terminal.")
  private boolean plain;

  @Override
  int run(Stage stage) throws IOException {
    OnSalePlan plan =
        new OnSalePlan(
            "demo-" + Long.toString(System.currentTimeMillis(), 36),
            visitors,
            places,
            Duration.ofSeconds(arrivalSeconds),
            Duration.ofSeconds(4),
            Duration.ofMillis(300),
            Duration.ofMillis(1500),
            3,
            Duration.ofMinutes(5),
            seed);
    SluiceApi api = new SluiceApi(stage.server(), System.getenv("SLUICE_ADMIN_TOKEN"));
    try (RoomSettings settings = new RoomSettings(api, plan.room(), "admission.state");
        HttpLoop loop = new HttpLoop(stage.server(), CONNECTIONS)) {
      settings.put("admission.capacity", String.valueOf(plan.capacity()));
      settings.put("admission.session-timeout", "\"" + plan.sessionTimeout().toSeconds() + "s\"");
      out.printf(
          Locale.ROOT,
          "%,d visitors, %d places, room %s.%n%n",
          plan.visitors(),
          plan.capacity(),
          plan.room());
      OnSale sale = new OnSale(plan, api, loop);
      watch(sale, loop, stage);
      return conclude(sale);
    }
  }

  private void watch(OnSale sale, HttpLoop loop, Stage stage) throws IOException {
    boolean repaints = !plain && Screen.isTerminal();
    Screen screen = new Screen(out, repaints);
    // A full second for the settings to be in force, as the contract promises.
    loop.after(Duration.ofSeconds(1), sale::open);
    Runnable[] frame = new Runnable[1];
    frame[0] =
        () -> {
          screen.show(sale.live());
          loop.after(Duration.ofMillis(1000 / screen.framesPerSecond()), frame[0]);
        };
    loop.after(Duration.ofSeconds(1), frame[0]);
    boolean[] stopped = new boolean[1];
    loop.run(
        () -> {
          stopped[0] = sale.isSilent() || sale.isOverdue() || stage.hasEnded();
          return sale.isOver() || stopped[0];
        });
    screen.show(sale.live());
    if (stopped[0] && !sale.isOver()) {
      if (stage.hasEnded()) {
        throw new DemoFailure("Sluice ended; it said:\n" + stage.lastWords());
      }
      throw new DemoFailure(
          sale.isSilent()
              ? "Sluice has stopped answering: not a word for 15 s."
              : "The on-sale did not end in time: people wait and nobody is admitted.");
    }
  }

  private int conclude(OnSale sale) {
    Live live = sale.live();
    out.printf(
        Locale.ROOT,
        "%n%,d visitors in %d s: %,d completed, %,d left, %,d expired.%n",
        live.visitors(),
        live.elapsed().toSeconds(),
        sale.endedAs("COMPLETED"),
        sale.endedAs("LEFT"),
        sale.endedAs("EXPIRED"));
    out.printf(
        Locale.ROOT,
        "enter: p50 %.1f ms, p99 %.1f ms; sent again %d, refused %d.%n%n",
        live.enterP50(),
        live.enterP99(),
        live.again(),
        live.refused());
    boolean held = true;
    for (Judge.Finding finding : sale.findings()) {
      held &= finding.held();
      out.printf(
          "%s  %-6s %-28s %s%n",
          finding.invariant(),
          finding.held() ? "held" : "BROKEN",
          finding.rule(),
          finding.evidence());
    }
    return held ? 0 : BROKEN;
  }
}
