package dev.sluice.bench.push;

import dev.sluice.bench.Installation;
import dev.sluice.bench.process.FreePorts;
import dev.sluice.bench.process.SluiceProcess;
import dev.sluice.bench.report.Report;
import dev.sluice.identity.PassKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench reconnect}: ten thousand people lose their server at once. */
@Command(
    name = "reconnect",
    description =
        "Ten thousand connections dropped at once, by a kill and by a stop, while another instance"
            + " takes them.",
    mixinStandardHelpOptions = true)
public final class ReconnectCommand implements Callable<Integer> {
  private static final Duration AT_MOST = Duration.ofMinutes(3);

  /** Beside all others; a process has 20,000 file descriptors. */
  private static final int CROWD = 8_000;

  private static final int ADMITTED_MEANWHILE = 500;
  private static final String SLUICE = "sluice";

  /** The first delay of a client is random within 3 s, and chance is uneven. */
  private static final double KILL_ARRIVALS = 1.2 / 3;

  @Option(names = "--people", defaultValue = "10000", description = "Default: ${DEFAULT-VALUE}.")
  private int people;

  @Option(names = "--quick", description = "Fewer people: for trying.")
  private boolean quick;

  @Override
  public Integer call() throws Exception {
    if (quick) {
      people = Math.min(people, 1_500);
    }
    Report report = new Report("reconnect", Instant.now());
    try (Installation.Scratch scratch = Installation.scratch("sluice-bench-reconnect")) {
      measure(report, new Houses(scratch.directory()));
    }
    System.out.println();
    report.print(System.out);
    System.out.println("\nKept in " + report.save(Installation.results()));
    return 0;
  }

  private void measure(Report report, Houses houses) throws IOException {
    try (SluiceProcess core = houses.core()) {
      core.awaitReady(AT_MOST);
      SluiceProcess first = houses.front("first");
      SluiceProcess second = houses.front("second");
      first.awaitReady(AT_MOST);
      second.awaitReady(AT_MOST);
      Queue queue = new Queue(core.address());
      queue.setCapacity(0);
      queue.keepAll();
      try (Waiters waiters = new Waiters(first.address())) {
        System.out.println("%,d people enter ...".formatted(people));
        queue.enter(people, waiters);
        serveACrowd(second, waiters);
        System.out.println("they connect to the other ...");
        waiters.come(AT_MOST);

        System.out.println("kill -9 of their server; one that has served a crowd takes them ...");
        waiters.mark();
        waiters.send(second.address());
        first.process().killNow();
        queue.setCapacity(ADMITTED_MEANWHILE);
        check(report, "kill -9", waiters, KILL_ARRIVALS * people, ADMITTED_MEANWHILE);

        first = houses.front("third");
        first.awaitReady(AT_MOST);
        serveACrowd(first, waiters);
        System.out.println("SIGTERM of their server; one that has served a crowd takes them ...");
        stop(report, "SIGTERM", second, first, waiters, queue, 2 * ADMITTED_MEANWHILE);

        second = houses.front("fourth");
        second.awaitReady(AT_MOST);
        System.out.println("SIGTERM of their server; one just started takes them ...");
        stop(
            report,
            "SIGTERM, to one just started",
            first,
            second,
            waiters,
            queue,
            3 * ADMITTED_MEANWHILE);
        report.addCount("admissions told twice on a connection", SLUICE, waiters.twice());
        report.addCount("ranks that rose", SLUICE, waiters.rose());
      } finally {
        first.close();
        second.close();
      }
    }
  }

  /** As one has that has run for a while: a JVM just started is slow at everything. */
  private void serveACrowd(SluiceProcess server, Waiters people) throws IOException {
    System.out.println("people connect to the server that will take over, and leave it ...");
    try (Waiters crowd = new Waiters(server.address())) {
      crowd.add(people, CROWD);
      crowd.come(AT_MOST);
    }
  }

  private void stop(
      Report report,
      String how,
      SluiceProcess leaving,
      SluiceProcess taking,
      Waiters waiters,
      Queue queue,
      int admitted)
      throws IOException {
    waiters.mark();
    waiters.send(taking.address());
    leaving.process().terminate();
    queue.setCapacity(admitted);
    // Delays are spread evenly over ten seconds, 10 ms each where there are fewer people.
    check(report, how, waiters, 1.2 * Math.max(100, people / 10.0), admitted);
  }

  private void check(Report report, String when, Waiters waiters, double bound, int admitted) {
    Waiters.await(
        () -> {
          Progress.show("back", waiters.live(), people);
          return waiters.drops() >= people && waiters.live() == people;
        },
        AT_MOST,
        "Not everyone is back");
    report.add(
        when + ", until all know their state",
        SLUICE,
        waiters.secondsUntilAllKnew(),
        "s",
        "under 15");
    report.add(
        when + ", arrivals in the busiest second",
        SLUICE,
        waiters.busiestSecond(),
        "",
        "under %,.0f".formatted(bound));
    report.add(when + ", handshakes refused for their rate", SLUICE, waiters.refused(), "");
    Waiters.await(
        () -> waiters.all().stream().allMatch(waiter -> waiter.isRight(admitted)),
        AT_MOST,
        "Not everyone is told the right thing");
    report.addCount(
        when + ", people lost",
        SLUICE,
        waiters.all().stream().filter(waiter -> !waiter.isRight(admitted)).count());
  }

  /** The processes of one installation. */
  private static final class Houses {
    private final Path directory;
    private final Path passKey;
    private final int topologyPort = FreePorts.next();
    private String kafka;

    Houses(Path directory) throws IOException {
      this.directory = directory;
      this.passKey = directory.resolve("pass-key.pem");
      Files.writeString(passKey, PassKey.generate().toPem());
    }

    SluiceProcess core() {
      SluiceProcess core =
          start(
              "core",
              "--sluice.roles=broker,topology,api",
              "--sluice.topology.port=" + topologyPort);
      kafka = core.kafka();
      return core;
    }

    SluiceProcess front(String name) {
      return start(
          name,
          "--sluice.roles=api,notifier",
          "--sluice.kafka.bootstrap-servers=" + kafka,
          "--sluice.topology.peers=127.0.0.1:" + topologyPort,
          "--sluice.push.max-connections=18000");
    }

    private SluiceProcess start(String name, String... told) {
      List<String> arguments = new ArrayList<>(List.of(told));
      arguments.add("--sluice.secret=" + PushServer.SECRET);
      arguments.add("--sluice.pass-key-file=" + passKey);
      return SluiceProcess.start(
          SluiceProcess.Settings.fresh(
              Installation.sluiceJar(),
              Installation.javaOptions(),
              arguments,
              directory.resolve(name)));
    }
  }
}
