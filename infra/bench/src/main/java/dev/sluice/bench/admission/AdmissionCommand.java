package dev.sluice.bench.admission;

import dev.sluice.bench.Blocking;
import dev.sluice.bench.Installation;
import dev.sluice.bench.SluiceApi;
import dev.sluice.bench.process.ChildProcess;
import dev.sluice.bench.process.RedisProcess;
import dev.sluice.bench.process.SluiceProcess;
import dev.sluice.bench.redisway.RedisWayProcess;
import dev.sluice.bench.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bench http}: entries over HTTP, beside the usual way in the same run, in rounds that take
 * turns so that whatever else the machine does hits both alike.
 */
@Command(
    name = "http",
    description = "Entries over HTTP: Sluice beside a Lua script on Redis.",
    mixinStandardHelpOptions = true)
public final class AdmissionCommand implements Callable<Integer> {
  private static final Duration START_AT_MOST = Duration.ofMinutes(3);
  private static final int[] CONNECTIONS = {64, 256};
  private static final int OPEN_LOOP_CONNECTIONS = 512;
  private static final int PER_SECOND = 1_000;
  private static final int CROWD_CONNECTIONS = 256;

  @Option(
      names = "--quick",
      description = "Short warm-up, few and short rounds, a small crowd: for trying.")
  private boolean quick;

  @Option(
      names = "--rounds",
      description = "Closed-loop rounds for each subject and number of connections.")
  private Integer rounds;

  @Option(
      names = "--redis-appendonly",
      description = "Let Redis log to disk, synced once a second; else it keeps nothing.")
  private boolean appendOnly;

  private int roomCount;

  /** One of the two ways, running. */
  private record Subject(String name, Entries entries, List<ChildProcess> processes) {
    long cpuNanos() {
      return processes.stream().mapToLong(ChildProcess::cpuNanos).sum();
    }
  }

  @Override
  public Integer call() throws Exception {
    Report report = new Report("admission", Instant.now());
    Path jar = Installation.sluiceJar();
    try (Installation.Scratch scratch = Installation.scratch("sluice-bench-admission")) {
      SluiceProcess.Settings settings =
          SluiceProcess.Settings.fresh(
              jar, Installation.javaOptions(), List.of(), scratch.directory());
      int crowdErrors;
      try (RedisProcess redis = RedisProcess.start(scratch.directory(), appendOnly);
          RedisWayProcess usual = RedisWayProcess.start(redis.port(), 256, scratch.directory());
          SluiceProcess sluice = SluiceProcess.start(settings)) {
        sluice.awaitReady(START_AT_MOST);
        usual.awaitReady(START_AT_MOST);
        allowManyPlaces(sluice);
        List<Subject> subjects =
            List.of(
                new Subject("sluice", Entries.at(sluice.address()), List.of(sluice.process())),
                new Subject(
                    "redis",
                    Entries.at(usual.address()),
                    List.of(usual.process(), redis.process())));
        warmUp(subjects);
        openLoop(subjects, report);
        closedLoop(subjects, report);
        crowdErrors = crowd(subjects.get(0), report);
      }
      System.out.println();
      report.print(System.out);
      System.out.println("\nKept in " + report.save(Installation.results()));
      return crowdErrors == 0 ? 0 : 1;
    }
  }

  /** The people of a round share sessions, more of them than a session may hold by default. */
  private static void allowManyPlaces(SluiceProcess sluice) throws IOException {
    SluiceApi api = new SluiceApi(sluice.address(), System.getenv("SLUICE_ADMIN_TOKEN"));
    Blocking.Answer answer =
        Blocking.call(
            sluice.address(), api.putSetting("admission.max-per-session", null, "1000000"));
    if (!answer.isGood()) {
      throw new IllegalStateException("a setting was refused: " + answer.body());
    }
  }

  /** A minute each, in turns. */
  private void warmUp(List<Subject> subjects) throws IOException {
    int turns = quick ? 1 : 6;
    for (int turn = 0; turn < turns; turn++) {
      for (Subject subject : subjects) {
        Entries.Round round =
            subject.entries.closedLoop(
                newRoom(), CONNECTIONS[turn % 2], Duration.ofSeconds(quick ? 5 : 10));
        say("warm-up", subject, round);
      }
    }
  }

  private void openLoop(List<Subject> subjects, Report report) throws IOException {
    for (Subject subject : subjects) {
      Entries.Round round =
          subject.entries.openLoop(
              newRoom(), PER_SECOND, Duration.ofSeconds(quick ? 10 : 60), OPEN_LOOP_CONNECTIONS);
      String what = String.format(Locale.ROOT, "open loop %,d/s", PER_SECOND);
      say(what, subject, round);
      boolean isOurs = subject.name.equals("sluice");
      report.add(what + " p50", subject.name, round.millis(50), "ms");
      report.add(what + " p99", subject.name, round.millis(99), "ms", isOurs ? "under 50" : "");
      report.add(what + " p99.9", subject.name, round.millis(99.9), "ms");
      report.add(what + " longest", subject.name, round.millis(100), "ms");
      report.addCount(what + " errors", subject.name, round.errors());
    }
  }

  private void closedLoop(List<Subject> subjects, Report report) throws IOException {
    int turns = rounds != null ? rounds : quick ? 1 : 7;
    Map<String, List<Entries.Round>> all = new LinkedHashMap<>();
    Map<String, List<Double>> cpu = new LinkedHashMap<>();
    for (int turn = 0; turn < turns; turn++) {
      for (int connections : CONNECTIONS) {
        for (int i = 0; i < subjects.size(); i++) {
          // Each goes first as often as the other.
          Subject subject = subjects.get((i + turn) % subjects.size());
          long cpuBefore = subject.cpuNanos();
          Entries.Round round =
              subject.entries.closedLoop(
                  newRoom(), connections, Duration.ofSeconds(quick ? 5 : 10));
          double perEntry = (subject.cpuNanos() - cpuBefore) / 1000.0 / round.answered();
          String key = connections + " " + subject.name;
          all.computeIfAbsent(key, k -> new ArrayList<>()).add(round);
          cpu.computeIfAbsent(key, k -> new ArrayList<>()).add(perEntry);
          say(connections + " connections", subject, round);
        }
      }
    }
    for (int connections : CONNECTIONS) {
      String what = "closed loop " + connections;
      double usual = median(all.get(connections + " redis"), Entries.Round::perSecond);
      for (Subject subject : subjects) {
        String key = connections + " " + subject.name;
        List<Entries.Round> mine = all.get(key);
        boolean isOurs = subject.name.equals("sluice");
        double perSecond = median(mine, Entries.Round::perSecond);
        report.add(
            what + " median", subject.name, perSecond, "entries/s", isOurs ? "as redis" : "");
        report.add(
            what + " lowest",
            subject.name,
            mine.stream().mapToDouble(Entries.Round::perSecond).min().orElse(0),
            "entries/s");
        report.add(
            what + " highest",
            subject.name,
            mine.stream().mapToDouble(Entries.Round::perSecond).max().orElse(0),
            "entries/s");
        report.add(what + " p50", subject.name, median(mine, r -> r.millis(50)), "ms");
        report.add(what + " p99", subject.name, median(mine, r -> r.millis(99)), "ms");
        report.add(what + " cpu", subject.name, median(cpu.get(key), c -> c), "us/entry");
        report.addCount(
            what + " errors", subject.name, mine.stream().mapToLong(Entries.Round::errors).sum());
        if (isOurs) {
          report.add(what + " of redis", subject.name, perSecond / usual, "times", "1, then 1.3");
        }
      }
    }
  }

  private int crowd(Subject sluice, Report report) throws IOException {
    int size = quick ? 10_000 : 100_000;
    String room = newRoom();
    SluiceApi api = sluice.entries.api();
    Blocking.call(api.server(), api.putSetting("admission.state", room, "\"PAUSED\""));
    awaitPaused(api, room);
    Crowd.Outcome outcome = new Crowd(sluice.entries, room, size, CROWD_CONNECTIONS).run();
    String what = String.format(Locale.ROOT, "crowd of %,d", size);
    report.add(what + " entering", "sluice", outcome.entering().toMillis() / 1000.0, "s");
    report.addCount(what + " errors", "sluice", outcome.errors());
    report.addCount(
        String.format(Locale.ROOT, "%s wrong of %,d ranks", what, outcome.ranksChecked()),
        "sluice",
        outcome.wrong());
    return (int) (outcome.errors() + outcome.wrong());
  }

  private static void awaitPaused(SluiceApi api, String room) throws IOException {
    long deadline = System.nanoTime() + Duration.ofSeconds(5).toNanos();
    while (System.nanoTime() - deadline < 0) {
      Blocking.Answer answer = Blocking.call(api.server(), api.roomStatus(room));
      if (answer.isGood() && answer.body().contains("\"PAUSED\"")) {
        return;
      }
    }
    throw new IllegalStateException("the room was not paused within 5 s");
  }

  private String newRoom() {
    return "bench-" + roomCount++;
  }

  private static void say(String what, Subject subject, Entries.Round round) {
    System.out.printf(
        Locale.ROOT,
        "%-18s %-7s %,8.0f/s  p50 %7.2f  p99 %7.2f  p99.9 %7.2f ms  errors %d%n",
        what,
        subject.name,
        round.perSecond(),
        round.millis(50),
        round.millis(99),
        round.millis(99.9),
        round.errors());
  }

  private static <T> double median(List<T> values, ToDoubleFunction<T> figure) {
    double[] sorted = values.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
