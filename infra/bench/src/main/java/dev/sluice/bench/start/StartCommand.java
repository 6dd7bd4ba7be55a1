package dev.sluice.bench.start;

import dev.sluice.bench.Blocking;
import dev.sluice.bench.Installation;
import dev.sluice.bench.PersonAnswer;
import dev.sluice.bench.Producing;
import dev.sluice.bench.RoomAnswer;
import dev.sluice.bench.SluiceApi;
import dev.sluice.bench.process.SluiceProcess;
import dev.sluice.bench.report.Report;
import dev.sluice.contract.Command;
import dev.sluice.contract.Topics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import picocli.CommandLine.Option;

/** {@code bench start}: how long people wait for a Sluice that starts, or comes back. */
@picocli.CommandLine.Command(
    name = "start",
    description = "Start to the first answer, and kill -9 with a crowd waiting to ready again.",
    mixinStandardHelpOptions = true)
public final class StartCommand implements Callable<Integer> {
  private static final String ROOM = "start";
  private static final Duration AT_MOST = Duration.ofMinutes(2);
  private static final int WITNESSES = 20;

  @Option(names = "--quick", description = "Few repetitions and a small crowd: for trying.")
  private boolean quick;

  @Option(names = "--waiting", description = "People waiting when it is killed.")
  private Integer waiting;

  /** Someone who entered over HTTP and must find the same place after the crash. */
  private record Witness(String id, String session, PersonAnswer place) {}

  @Override
  public Integer call() throws IOException {
    Report report = new Report("start", Instant.now());
    startToFirstAnswer(report);
    killAndComeBack(report);
    System.out.println();
    report.print(System.out);
    System.out.println("\nKept in " + report.save(Installation.results()));
    return 0;
  }

  private void startToFirstAnswer(Report report) throws IOException {
    List<Double> firstAnswers = new ArrayList<>();
    for (int i = 0; i < (quick ? 1 : 5); i++) {
      try (Installation.Scratch scratch = Installation.scratch("sluice-bench-start")) {
        SluiceProcess.Settings settings = settings(scratch.directory());
        SluiceApi api = new SluiceApi(settings.address(), null);
        long begin = System.nanoTime();
        try (SluiceProcess sluice = SluiceProcess.start(settings)) {
          sluice.awaitAnswer(api.enter(null, ROOM, "first"), AT_MOST);
          firstAnswers.add(secondsSince(begin));
          sluice.awaitReady(AT_MOST);
          System.out.printf(
              Locale.ROOT,
              "start %d: first entry answered after %.2f s, ready after %.2f s%n",
              i + 1,
              firstAnswers.get(i),
              secondsSince(begin));
        }
      }
    }
    report.add("start to first answer", "all in one", median(firstAnswers), "s", "under 6");
    report.add("start, slowest", "all in one", Collections.max(firstAnswers), "s");
  }

  private void killAndComeBack(Report report) throws IOException {
    int crowd = waiting != null ? waiting : quick ? 100_000 : 1_000_000;
    List<Double> ready = new ArrayList<>();
    int wrong = 0;
    try (Installation.Scratch scratch = Installation.scratch("sluice-bench-kill")) {
      SluiceProcess.Settings settings = settings(scratch.directory());
      SluiceApi api = new SluiceApi(settings.address(), null);
      List<Witness> witnesses = new ArrayList<>();
      SluiceProcess sluice = SluiceProcess.start(settings);
      try {
        sluice.awaitReady(AT_MOST);
        fill(sluice, api, crowd);
        for (int i = 0; i < WITNESSES; i++) {
          witnesses.add(enter(api, "witness-" + i));
        }
        for (int i = 0; i < (quick ? 1 : 3); i++) {
          sluice.process().killNow();
          long begin = System.nanoTime();
          sluice = SluiceProcess.start(settings);
          sluice.awaitReady(AT_MOST);
          ready.add(secondsSince(begin));
          for (Witness witness : witnesses) {
            wrong += isAsBefore(api, witness) ? 0 : 1;
          }
          System.out.printf(
              Locale.ROOT,
              "kill -9 %d with %,d waiting: ready after %.2f s, all asked after %.2f s%n",
              i + 1,
              crowd,
              ready.get(i),
              secondsSince(begin));
        }
      } finally {
        sluice.close();
      }
    }
    String what = String.format(Locale.ROOT, "kill -9 with %,d waiting, to ready", crowd);
    report.add(what, "all in one", median(ready), "s", "under 5");
    report.add(what + ", slowest", "all in one", Collections.max(ready), "s");
    report.addCount("answers not as before", "all in one", wrong);
  }

  private static SluiceProcess.Settings settings(Path directory) {
    return SluiceProcess.Settings.fresh(
        Installation.sluiceJar(), Installation.javaOptions(), List.of(), directory);
  }

  private static void fill(SluiceProcess sluice, SluiceApi api, int crowd) throws IOException {
    Blocking.Answer answer =
        Blocking.call(api.server(), api.putSetting("admission.state", ROOM, "\"PAUSED\""));
    if (!answer.isGood()) {
      throw new IllegalStateException("the room could not be paused: " + answer.body());
    }
    awaitRoom(api, room -> "PAUSED".equals(room.state()));
    Topics topics = new Topics(Topics.DEFAULT_PREFIX, Topics.DEFAULT_PARTITIONS);
    try (Producing log = new Producing(sluice.kafka(), topics, ROOM)) {
      for (int i = 0; i < crowd; i++) {
        log.append(new Command.Enter(ROOM, "p" + i, "session-" + i));
      }
      log.flush();
    }
    awaitRoom(api, room -> room.waiting() >= crowd);
  }

  private static void awaitRoom(SluiceApi api, Predicate<RoomAnswer> condition) throws IOException {
    long deadline = System.nanoTime() + AT_MOST.toNanos();
    while (System.nanoTime() - deadline < 0) {
      Blocking.Answer answer = Blocking.call(api.server(), api.roomStatus(ROOM));
      if (answer.isGood() && condition.test(RoomAnswer.read(answer.body()))) {
        return;
      }
    }
    throw new IllegalStateException("the room is not as it should be");
  }

  private static Witness enter(SluiceApi api, String id) throws IOException {
    String session =
        PersonAnswer.read(Blocking.call(api.server(), api.issueSession()).body()).sessionId();
    Blocking.Answer answer = Blocking.call(api.server(), api.enter(session, ROOM, id));
    if (!answer.isGood()) {
      throw new IllegalStateException("a witness could not enter: " + answer.body());
    }
    return new Witness(id, session, PersonAnswer.read(answer.body()));
  }

  private static boolean isAsBefore(SluiceApi api, Witness witness) throws IOException {
    Blocking.Answer answer =
        Blocking.call(api.server(), api.status(witness.session, ROOM, witness.id));
    if (!answer.isGood()) {
      return false;
    }
    PersonAnswer now = PersonAnswer.read(answer.body());
    return now.ticket() == witness.place.ticket() && now.rank() == witness.place.rank();
  }

  private static double secondsSince(long begin) {
    return (System.nanoTime() - begin) / 1e9;
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }
}
