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
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench push}: ten thousand people on one server. */
@Command(
    name = "push",
    description =
        "Ten thousand connections: personal messages, one to all, memory, a storm of subscriptions;"
            + " beside Spring's simple broker.",
    mixinStandardHelpOptions = true)
public final class PushCommand implements Callable<Integer> {
  private static final Duration AT_MOST = Duration.ofMinutes(3);
  private static final int BROADCASTS = 60;
  private static final int STORM_PART = 1_000;

  /** The compiler of a JVM just started takes half a processor for so long. */
  private static final int WARM_UP_MILLIS = 40_000;

  /** Who answers nothing for 50 s has gone. */
  private static final int SLOWEST_RULE_MILLIS = 65_000;

  @Option(names = "--people", defaultValue = "10000", description = "Default: ${DEFAULT-VALUE}.")
  private int people;

  @Option(
      names = "--rate",
      defaultValue = "20000",
      description = "Personal messages a second. Default: ${DEFAULT-VALUE}.")
  private int rate;

  @Option(
      names = "--seconds",
      defaultValue = "30",
      description = "Of them, for each server. Default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(names = "--of", description = "Only these: ${COMPLETION-CANDIDATES}.", split = ",")
  private List<PushServer.Kind> kinds = List.of(PushServer.Kind.values());

  @Option(names = "--quick", description = "Fewer people, for less time: for trying.")
  private boolean quick;

  @Override
  public Integer call() throws Exception {
    if (quick) {
      people = Math.min(people, 1_000);
      rate = Math.min(rate, 2_000);
      seconds = Math.min(seconds, 5);
    }
    Report report = new Report("push", Instant.now());
    Sessions issuer = new Sessions(PushServer.SECRET);
    List<Session> sessions = IntStream.range(0, people).mapToObj(i -> issuer.issue()).toList();
    try (Installation.Scratch scratch = Installation.scratch("sluice-bench-push")) {
      Path file = scratch.directory().resolve("sessions");
      Files.write(file, sessions.stream().map(Session::token).toList());
      for (PushServer.Kind kind : kinds) {
        System.out.println(kind.words() + " ...");
        try (PushProcess server = PushProcess.start(kind, file, scratch.directory())) {
          measure(report, kind, server, sessions);
        } catch (IllegalStateException e) {
          // What was measured until then stands.
          System.out.println("  " + kind.words() + ": " + e.getMessage());
        }
        report.save(Installation.results());
      }
    }
    if (kinds.contains(PushServer.Kind.SLUICE)) {
      System.out.println("everyone is admitted at once, in a whole Sluice ...");
      Admissions.measure(report, people);
    }
    System.out.println();
    report.print(System.out);
    System.out.println("\nKept in " + report.save(Installation.results()));
    return 0;
  }

  private void measure(
      Report report, PushServer.Kind kind, PushProcess server, List<Session> sessions)
      throws IOException, InterruptedException {
    String of = kind.words();
    long heapBefore = server.tell("heap");
    long residentBefore = server.resident();
    try (People everyone = new People(server.address(), sessions)) {
      long start = System.nanoTime();
      everyone.come(AT_MOST);
      report.add("all connected and subscribed", of, millisSince(start), "ms");
      report.add(
          "heap a connection, idle",
          of,
          (server.tell("heap") - heapBefore) / 1024.0 / people,
          "KiB",
          "under 20");
      report.add(
          "resident memory a connection, idle",
          of,
          (server.resident() - residentBefore) / 1024.0 / people,
          "KiB");
      storm(report, of, everyone);
      personal(report, of, server, everyone);
      broadcasts(report, of, server, everyone);
      if (kind == PushServer.Kind.SLUICE) {
        badClients(report, of, server, everyone, sessions);
      }
      report.addCount("connections lost", of, everyone.ended());
    }
  }

  private void storm(Report report, String of, People everyone) {
    int part = Math.min(STORM_PART, people / 2);
    long start = System.nanoTime();
    everyone.followRoom(0, part, AT_MOST);
    double first = millisSince(start);
    everyone.followRoom(part, people - part, AT_MOST);
    long last = System.nanoTime();
    everyone.followRoom(people - part, people, AT_MOST);
    report.add("subscribed to one room, first %,d".formatted(part), of, first, "ms");
    report.add("subscribed to one room, last %,d".formatted(part), of, millisSince(last), "ms");
    report.add("subscribed to one room, all %,d".formatted(people), of, millisSince(start), "ms");
  }

  private void personal(Report report, String of, PushProcess server, People everyone)
      throws IOException {
    // A cache of destinations is full after that, if it can hold them.
    long start = System.nanoTime();
    server.tell("once");
    report.add("each of all told once, for the first time", of, millisSince(start), "ms");
    server.tell("personal " + rate + " " + (quick ? seconds * 500 : WARM_UP_MILLIS));
    everyone.forget();
    long cpu = server.process().cpuNanos();
    start = System.nanoTime();
    long told = server.tell("personal " + rate + " " + seconds * 1_000);
    double took = (System.nanoTime() - start) / 1e9;
    Histogram delays = settled(everyone);
    report.add("personal, told", of, told / took, "/s", "%,d".formatted(rate));
    report.add("personal, arrived", of, delays.getTotalCount() / took, "/s");
    report.add("personal p50", of, delays.getValueAtPercentile(50) / 1e3, "ms");
    report.add("personal p99", of, delays.getValueAtPercentile(99) / 1e3, "ms", "under 100");
    report.add("personal max", of, delays.getMaxValue() / 1e3, "ms");
    report.add(
        "personal, processor time a message",
        of,
        (server.process().cpuNanos() - cpu) / 1e3 / told,
        "us");
  }

  /** What arrived, once nothing more does. */
  private static Histogram settled(People everyone) {
    long before = -1;
    Histogram delays = everyone.delays();
    while (delays.getTotalCount() != before) {
      before = delays.getTotalCount();
      LockSupport.parkNanos(300_000_000);
      delays = everyone.delays();
    }
    return delays;
  }

  private void broadcasts(Report report, String of, PushProcess server, People everyone)
      throws IOException {
    Histogram toLast = new Histogram(3);
    for (int i = 0; i < BROADCASTS; i++) {
      everyone.expectAll();
      long start = System.nanoTime();
      server.tell("all");
      long last = everyone.awaitAll(AT_MOST);
      if (i >= BROADCASTS / 2) {
        toLast.recordValue((last - start) / 1_000);
      }
    }
    report.add(
        "to all, until the last has it, p50",
        of,
        toLast.getValueAtPercentile(50) / 1e3,
        "ms",
        "under 150");
    report.add("to all, until the last has it, max", of, toLast.getMaxValue() / 1e3, "ms");
  }

  /** Three clients that don't behave, two of them told more than they take, among all others. */
  private void badClients(
      Report report, String of, PushProcess server, People everyone, List<Session> sessions)
      throws IOException, InterruptedException {
    report.add("others, before three bad clients, p99", of, othersP99(server, everyone), "ms");
    try (BadClients bad = new BadClients(server.address(), sessions)) {
      report.add("others, beside three bad clients, p99", of, othersP99(server, everyone), "ms");
      report.add("most bytes waiting for all clients", of, server.tell("outbox") / 1024.0, "KiB");
      for (int i = 1; i <= BadClients.ALL; i++) {
        report.add("bad clients ended: " + i, of, server.tell("closed " + i) / 1e3, "s");
      }
    }
    report.add("others, after them, p99", of, othersP99(server, everyone), "ms");
  }

  private double othersP99(PushProcess server, People everyone) throws IOException {
    everyone.forget();
    int millis = quick ? seconds * 1_000 : Math.max(seconds * 1_000, SLOWEST_RULE_MILLIS);
    server.tell("flood %d %d %d".formatted(rate, millis, BadClients.FLOODED));
    return settled(everyone).getValueAtPercentile(99) / 1e3;
  }

  private static double millisSince(long start) {
    return (System.nanoTime() - start) / 1e6;
  }
}
