package dev.sluice.bench.push;

import dev.sluice.bench.Installation;
import dev.sluice.bench.report.Report;
import dev.sluice.identity.Session;
import dev.sluice.identity.Sessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench soak-push}: people come, are told much, and vanish, again and again. */
@Command(
    name = "soak-push",
    description =
        "Minutes of connects, bursts and connections cut: nothing may be left behind, and memory"
            + " stays as it is.",
    mixinStandardHelpOptions = true)
public final class SoakCommand implements Callable<Integer> {
  private static final Duration AT_MOST = Duration.ofMinutes(2);
  private static final int RATE = 10_000;
  private static final int BURST_MILLIS = 2_000;
  private static final long LOOK_EVERY_NANOS = 50_000_000;

  /** The heap of a JVM just started grows for reasons of its own. */
  private static final int WARM_UP_ROUNDS = 3;

  /** More than this between the first round that counts and the last isn't flat. */
  private static final double MAY_GROW_MIB = 8;

  @Option(names = "--people", defaultValue = "3000", description = "Default: ${DEFAULT-VALUE}.")
  private int people;

  @Option(names = "--minutes", defaultValue = "5", description = "Default: ${DEFAULT-VALUE}.")
  private int minutes;

  @Option(names = "--quick", description = "A minute with fewer people: for trying.")
  private boolean quick;

  @Override
  public Integer call() throws Exception {
    if (quick) {
      people = 500;
      minutes = 1;
    }
    Report report = new Report("soak-push", Instant.now());
    Sessions issuer = new Sessions(PushServer.SECRET);
    List<Session> sessions = IntStream.range(0, people).mapToObj(i -> issuer.issue()).toList();
    boolean good;
    try (Installation.Scratch scratch = Installation.scratch("sluice-soak-push")) {
      Path file = scratch.directory().resolve("sessions");
      Files.write(file, sessions.stream().map(Session::token).toList());
      try (PushProcess server =
          PushProcess.start(PushServer.Kind.SLUICE, file, scratch.directory())) {
        good = soak(report, server, sessions);
      }
    }
    System.out.println();
    report.print(System.out);
    System.out.println("\nKept in " + report.save(Installation.results()));
    return good ? 0 : 1;
  }

  private boolean soak(Report report, PushProcess server, List<Session> sessions)
      throws IOException {
    long end = System.nanoTime() + Duration.ofMinutes(minutes).toNanos();
    long connections = 0;
    long first = 0;
    long last = 0;
    long left = 0;
    int round = 0;
    while (System.nanoTime() - end < 0 || round <= WARM_UP_ROUNDS) {
      round(server, sessions);
      connections += people;
      left = left(server);
      last = server.tell("heap");
      if (++round == WARM_UP_ROUNDS) {
        first = last;
      }
      System.out.printf(
          "  round %d: %,d connections so far, %d left behind, heap %.1f MiB%n",
          round, connections, left, mib(last));
    }
    report.add("connections made and cut", "sluice", (double) connections, "");
    report.addCount("left behind: entries of maps, connections, questions", "sluice", left);
    report.add("heap after the third round", "sluice", mib(first), "MiB");
    report.add("heap after the last", "sluice", mib(last), "MiB", "the same");
    return left == 0 && mib(last) - mib(first) < MAY_GROW_MIB;
  }

  /** Everyone comes and is told much; in the middle of it all are cut off. */
  private void round(PushProcess server, List<Session> sessions) throws IOException {
    try (People everyone = new People(server.address(), sessions)) {
      everyone.come(AT_MOST);
      everyone.followRoom(0, people / 2, AT_MOST);
      server.tell("personal " + RATE + " " + BURST_MILLIS);
      server.tell("all");
    }
  }

  /** What is left once everyone has gone, or after a while. */
  private static long left(PushProcess server) throws IOException {
    long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    long left = server.tell("left");
    while (left > 0 && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(LOOK_EVERY_NANOS);
      left = server.tell("left");
    }
    return left;
  }

  private static double mib(long bytes) {
    return bytes / 1024.0 / 1024.0;
  }
}
