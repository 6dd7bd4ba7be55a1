package dev.sluice.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.HotVerdictJson;
import dev.sluice.contract.Topics;
import dev.sluice.hot.HotRooms.Change;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HotRoomsFollowerTest {
  private static final Duration SOON = Duration.ofSeconds(20);
  @TempDir static Path directory;
  private static KafkaFixture kafka;

  private final AtomicLong nanos = new AtomicLong(1);
  private final List<Change> changes = new CopyOnWriteArrayList<>();
  private HotRoomsFollower follower;

  @BeforeAll
  static void start() throws Exception {
    kafka = new KafkaFixture(directory, new Topics("follow.", 1));
  }

  @AfterAll
  static void stop() {
    kafka.close();
  }

  @AfterEach
  void end() {
    follower.close();
  }

  @Test
  void a_room_that_cools_and_is_hot_again_is_there_once_and_each_turn_is_told() throws Exception {
    follow();
    for (int round = 1; round <= 3; round++) {
      write("lobby", verdict("lobby", round));
      write("lobby", verdict("lobby", round));
      if (round < 3) {
        write("lobby", (HotVerdict) null);
      }
    }
    write("lobby", "not a verdict".getBytes(UTF_8));
    write("other", verdict("other", 9));

    await().atMost(SOON).until(() -> follower.isHot("other"));
    assertThat(follower.all())
        .extracting(HotVerdict::roomId)
        .containsExactlyInAnyOrder("lobby", "other");
    assertThat(follower.verdict("lobby").rate()).isEqualTo(3);
    assertThat(changes.stream().filter(change -> change.roomId().equals("lobby")))
        .extracting(Change::isTurn)
        .containsExactly(true, false, true, true, false, true, true, false);
  }

  @Test
  void a_verdict_that_nobody_renews_counts_for_half_a_minute() throws Exception {
    write("orphan", verdict("orphan", 1));
    write("renewed", verdict("renewed", 1));
    follow();
    await().atMost(SOON).until(() -> follower.isHot("orphan") && follower.isHot("renewed"));

    nanos.addAndGet(TimeUnit.SECONDS.toNanos(29));
    write("renewed", verdict("renewed", 2));
    await().atMost(SOON).until(() -> follower.verdict("renewed").rate() == 2);
    assertThat(follower.isHot("orphan")).isTrue();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));

    await().atMost(SOON).until(() -> !follower.isHot("orphan"));
    assertThat(follower.isHot("renewed")).isTrue();
    await().atMost(SOON).until(() -> changes.stream().anyMatch(change -> change.now() == null));
  }

  private void follow() {
    follower = new HotRoomsFollower(kafka.clients(), kafka.topics(), nanos::get);
    follower.onChange(changes::add);
    follower.start();
  }

  private static HotVerdict verdict(String room, long rate) {
    return new HotVerdict(room, "room", rate, 1, 5, 1, 1);
  }

  private static void write(String room, HotVerdict verdict) throws Exception {
    write(room, verdict == null ? null : HotVerdictJson.write(verdict));
  }

  private static void write(String room, byte[] value) throws Exception {
    kafka.write(
        new ProducerRecord<>(kafka.topics().hotRooms(), 0, KafkaFixture.bytes(room), value));
  }
}
