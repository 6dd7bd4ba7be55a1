package dev.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.standalone.RoomClient.Standing;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Everything in one process, stopped and killed as a person or a machine does. */
@Tag("slow")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class WholeProcessTest {
  private static final int PEOPLE = 2_000;
  private static final String[] FREE_PORTS = {"--server.port=0", "--sluice.broker.port=0"};

  @TempDir Path data;
  private SluiceProcess sluice;

  @AfterEach
  void end() {
    if (sluice != null) {
      sluice.close();
    }
  }

  @Test
  void says_where_to_look_and_stops_on_ctrl_c_leaving_everyone_in_their_place() throws Exception {
    int port = start();
    assertThat(sluice.output())
        .containsPattern("broker +127\\.0\\.0\\.1:\\d+ +[\\d.]+ s")
        .containsPattern("topology +8 partitions caught up +[\\d.]+ s")
        .contains("http://localhost:" + port + "/health/ready", "Ctrl-C stops it.");

    List<Standing> before = enterAllPaused(port);
    sluice.interrupt();
    assertThat(sluice.awaitExit()).isEqualTo(130);
    assertThat(sluice.output()).containsPattern("Stopped in [\\d.]+ s\\.$");

    assertAllKeptTheirPlace(start(), before);
  }

  @Test
  void kill_minus_9_loses_nobody_who_was_acknowledged() throws Exception {
    int port = start();
    RoomClient room = new RoomClient(port, "premiere");
    room.pause();
    Herd herd = new Herd(room, "p");
    Thread entering =
        new Thread(
            () -> {
              try {
                herd.enter(Integer.MAX_VALUE);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    entering.start();
    await().atMost(Duration.ofMinutes(2)).until(() -> herd.size() >= PEOPLE);
    sluice.kill();
    herd.stop();
    entering.join();
    List<Standing> before = herd.people();

    int again = start();
    assertAllKeptTheirPlace(again, before);
    Standing next = new RoomClient(again, "premiere").enter("late").join();
    assertThat(next.ticket())
        .isGreaterThan(before.stream().mapToLong(Standing::ticket).max().orElseThrow());
    assertThat(next.rank()).isEqualTo(next.ticket());
  }

  @Test
  void the_broker_killed_and_started_again_is_found_again_with_everyone_in_place()
      throws Exception {
    try (SluiceProcess broker =
        SluiceProcess.start(data, "--sluice.roles=broker", "--sluice.broker.port=0")) {
      String kafka = broker.awaitLine("  broker").strip().split("\\s+")[1];
      sluice =
          SluiceProcess.start(
              data,
              "--sluice.roles=topology,api,notifier",
              "--server.port=0",
              "--sluice.kafka.bootstrap-servers=" + kafka);
      int port = sluice.awaitReady();
      List<Standing> before = enterAllPaused(port);

      broker.kill();
      try (SluiceProcess again =
          SluiceProcess.start(
              data,
              "--sluice.roles=broker",
              "--sluice.broker.port=" + kafka.substring(kafka.lastIndexOf(':') + 1))) {
        again.awaitLine("Ready in ");
        assertAllKeptTheirPlace(port, before);
        RoomClient room = new RoomClient(port, "premiere");
        Standing late =
            await()
                .atMost(Duration.ofMinutes(1))
                .ignoreExceptions()
                .until(() -> room.enter("late").join(), standing -> standing.ticket() > 0);
        assertThat(late.ticket()).isEqualTo(PEOPLE + 1);
      }
    }
  }

  private int start() throws InterruptedException {
    sluice = SluiceProcess.start(data, FREE_PORTS);
    int port = sluice.awaitReady();
    RoomClient client = new RoomClient(port, "premiere");
    assertThat(client.statusOf("/health/ready")).isEqualTo(200);
    return port;
  }

  private static List<Standing> enterAllPaused(int port) throws Exception {
    RoomClient room = new RoomClient(port, "premiere");
    room.pause();
    Herd herd = new Herd(room, "p");
    herd.enter(PEOPLE);
    assertThat(herd.size()).isEqualTo(PEOPLE);
    return herd.people();
  }

  /** In a paused room nobody leaves the queue, so everyone's rank is their ticket. */
  private static void assertAllKeptTheirPlace(int port, List<Standing> before) throws Exception {
    RoomClient room = new RoomClient(port, "premiere");
    Set<Long> tickets = new HashSet<>();
    for (Standing was : before) {
      Standing now =
          await()
              .pollDelay(Duration.ZERO)
              .atMost(Duration.ofMinutes(1))
              .ignoreExceptionsMatching(
                  e -> e.getMessage() != null && e.getMessage().startsWith("503"))
              .until(() -> room.status(was), standing -> standing != null);
      assertThat(now.status()).isEqualTo("WAITING");
      assertThat(now.ticket()).isEqualTo(was.ticket());
      assertThat(now.offset()).isEqualTo(was.offset());
      assertThat(now.rank()).isEqualTo(now.ticket());
      assertThat(tickets.add(now.ticket())).isTrue();
    }
  }
}
