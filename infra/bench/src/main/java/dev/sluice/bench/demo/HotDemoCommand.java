package dev.sluice.bench.demo;

import dev.sluice.bench.SluiceApi;
import dev.sluice.bench.demo.HotTalk.Counts;
import dev.sluice.bench.http.HttpLoop;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench demo-hot}: one room of two thousand gets a hundred times its usual messages. */
@Command(
    name = "demo-hot",
    description = "A room becomes hot among quiet ones, is calmed, and cools by itself.",
    mixinStandardHelpOptions = true)
public final class HotDemoCommand extends StagedCommand {
  private static final int CONNECTIONS = 256;

  @Option(names = "--rooms", defaultValue = "2000", description = "Default: ${DEFAULT-VALUE}.")
  private int rooms;

  @Option(
      names = "--people",
      defaultValue = "100",
      description = "Subscribed to the room. Default: ${DEFAULT-VALUE}.")
  private int people;

  @Option(
      names = "--busy",
      defaultValue = "15",
      description = "Seconds of a hundred times the usual. Default: ${DEFAULT-VALUE}.")
  private int busySeconds;

  @Override
  int run(Stage stage) throws IOException {
    HotPlan plan =
        new HotPlan(
            "talk-" + Long.toString(System.currentTimeMillis(), 36),
            rooms,
            0.2,
            people,
            100,
            400,
            Duration.ofSeconds(6),
            Duration.ofSeconds(busySeconds),
            Duration.ofSeconds(30));
    SluiceApi api = new SluiceApi(stage.server(), System.getenv("SLUICE_ADMIN_TOKEN"));
    try (RoomSettings settings = new RoomSettings(api, plan.room());
        HttpLoop loop = new HttpLoop(stage.server(), CONNECTIONS)) {
      settings.put("hot.threshold", "2000");
      out.printf(
          Locale.ROOT,
          "%,d quiet rooms; %d people in room %s, who fetch what they are told of.%n"
              + "Watch it at http://%s:%d/console.%n%n",
          plan.quietRooms(),
          plan.people(),
          plan.room(),
          stage.server().getHostString(),
          stage.server().getPort());
      HotTalk talk = new HotTalk(plan, api, loop);
      List<WebSocket> sockets = listen(stage, plan, talk);
      try {
        return watch(stage, talk, loop);
      } finally {
        sockets.forEach(WebSocket::abort);
      }
    }
  }

  private static List<WebSocket> listen(Stage stage, HotPlan plan, HotTalk talk) {
    HttpClient http = HttpClient.newHttpClient();
    List<CompletableFuture<WebSocket>> opening = new ArrayList<>();
    for (int i = 0; i < plan.people(); i++) {
      int person = i;
      opening.add(
          Listener.open(http, stage.server(), plan.room(), cursor -> talk.push(person, cursor)));
    }
    try {
      return opening.stream().map(CompletableFuture::join).toList();
    } catch (CompletionException e) {
      throw new DemoFailure("The people can't connect: " + e.getCause());
    }
  }

  private int watch(Stage stage, HotTalk talk, HttpLoop loop) throws IOException {
    List<Second> seconds = new ArrayList<>();
    Counts[] before = {talk.counts()};
    talk.open();
    Runnable[] line = new Runnable[1];
    line[0] =
        () -> {
          Counts now = talk.counts();
          Second second = new Second(talk.isBusy(), talk.isHot(), before[0], now);
          seconds.add(second);
          print(talk, second);
          before[0] = now;
          loop.after(Duration.ofSeconds(1), line[0]);
        };
    loop.after(Duration.ofSeconds(1), line[0]);
    loop.run(() -> talk.isOver() || stage.hasEnded());
    if (stage.hasEnded()) {
      throw new DemoFailure("Sluice ended; it said:\n" + stage.lastWords());
    }
    return conclude(talk, seconds);
  }

  /** What happened within one second. */
  private record Second(boolean busy, boolean hot, Counts before, Counts after) {
    long messages() {
      return after.messages - before.messages;
    }

    long pushed() {
      return after.pushed - before.pushed;
    }

    long fetched() {
      return after.fetched - before.fetched;
    }
  }

  private void print(HotTalk talk, Second second) {
    out.printf(
        Locale.ROOT,
        "%3d s  %-5s rate %,7d of %,d   messages %,4d/s  pushes %,6d/s  fetches %,6d/s  "
            + "joins %,4d/s, refused %,4d/s%n",
        talk.elapsedSeconds(),
        second.hot() ? "HOT" : "quiet",
        talk.rate(),
        talk.threshold(),
        second.messages(),
        second.pushed(),
        second.fetched(),
        second.after().joined - second.before().joined,
        second.after().refused - second.before().refused);
  }

  private int conclude(HotTalk talk, List<Second> seconds) {
    Counts all = talk.counts();
    out.println();
    if (talk.hotAfterMillis() < 0) {
      out.println("The room did not become hot.");
      return BROKEN;
    }
    long busiest = seconds.stream().mapToLong(Second::fetched).max().orElse(0);
    long pushedMost = seconds.stream().mapToLong(Second::pushed).max().orElse(0);
    List<Second> calm = seconds.stream().filter(s -> s.busy() && s.hot()).skip(1).toList();
    out.printf(
        Locale.ROOT,
        "Hot %,d ms after it got busy. At most %,d pushes and %,d fetches a second before,%n"
            + "%.0f and %.0f a second while it was hot, with as many messages.%n",
        talk.hotAfterMillis(),
        pushedMost,
        busiest,
        calm.stream().mapToLong(Second::pushed).average().orElse(0),
        calm.stream().mapToLong(Second::fetched).average().orElse(0));
    out.printf(
        Locale.ROOT,
        "Joins: %,d accepted, %,d refused at once. Calls that failed: %,d.%n",
        all.joined,
        all.refused,
        all.failed);
    if (talk.cooledAfterMillis() < 0) {
      out.println("The room did not cool in time.");
      return BROKEN;
    }
    out.printf(
        Locale.ROOT, "Cooled by itself %,d ms after the last of it.%n", talk.cooledAfterMillis());
    return 0;
  }
}
