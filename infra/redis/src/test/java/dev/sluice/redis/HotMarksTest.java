package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.sluice.contract.HotVerdictJson;
import dev.sluice.settings.SettingAddress;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import dev.sluice.settings.SettingsView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Jedis;

/** Marks in a real Redis, which is killed, silent or refuses. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HotMarksTest {
  private static final Duration TTL = Duration.ofSeconds(1);

  @TempDir Path directory;
  private final FakeHotRooms hotRooms = new FakeHotRooms();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private volatile SettingsView settings = SettingsView.EMPTY;

  @AfterEach
  void closeAll() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  @Test
  void aHotRoomIsMarkedWithItsVerdictAndATimeToLiveUntilItCools() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    hotRooms.turnHot("before", 6_000, 1);
    HotMarks marks = keepMarks(redis.address(), room -> true);
    hotRooms.turnHot("lobby", 6_000, 2);
    try (Jedis jedis = jedis(redis)) {
      await().until(() -> jedis.exists("hot:{lobby}") && jedis.exists("hot:{before}"));
      assertThat(HotVerdictJson.read("lobby", bytes(jedis, "lobby")))
          .isEqualTo(hotRooms.verdict("lobby"));
      assertThat(jedis.pttl("hot:{lobby}")).isBetween(1L, 10_000L);
      await().until(() -> jedis.zcard("hot:rooms") == 2);
      long now = Long.parseLong(jedis.time().get(0)) * 1_000;
      assertThat(jedis.zscore("hot:rooms", "lobby")).isBetween(now + 5_000d, now + 11_000d);
      assertThat(jedis.pttl("hot:rooms")).isBetween(1L, 10_000L);

      hotRooms.turnHot("lobby", 7_000, 2);
      await().until(() -> HotVerdictJson.read("lobby", bytes(jedis, "lobby")).rate() == 7_000);
      assertThat(jedis.zcard("hot:rooms")).isEqualTo(2);

      hotRooms.cool("lobby");
      await()
          .until(() -> !jedis.exists("hot:{lobby}") && jedis.zscore("hot:rooms", "lobby") == null);
      assertThat(jedis.exists("hot:{before}")).isTrue();
      await().until(() -> marks.lag().isZero());
      assertThat(marks.marks()).isEqualTo(1);
    }
  }

  @Test
  void aMarkIsRenewedAsLongAsItsRoomIsHotAndExpiresWithWhoeverWroteIt() throws Exception {
    set(SettingKey.HOT_TTL, "\"1s\"");
    RedisProcess redis = keep(new RedisProcess(directory));
    HotMarks marks = keepMarks(redis.address(), room -> true);
    hotRooms.turnHot("lobby", 6_000, 1);
    try (Jedis jedis = jedis(redis)) {
      await().until(() -> jedis.exists("hot:{lobby}"));
      await()
          .during(TTL.multipliedBy(3))
          .atMost(TTL.multipliedBy(5))
          .pollInterval(Duration.ofMillis(20))
          .until(() -> jedis.exists("hot:{lobby}") && jedis.exists("hot:rooms"));

      marks.close();

      await().atMost(TTL.multipliedBy(2)).until(() -> jedis.dbSize() == 0);
    }
  }

  @Test
  void whatHasExpiredIsTrimmedFromTheListAndARoomThatComesBackIsListedOnce() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    keepMarks(redis.address(), room -> true);
    try (Jedis jedis = jedis(redis)) {
      jedis.zadd("hot:rooms", 1, "of-a-dead-process");
      for (int i = 0; i < 3; i++) {
        hotRooms.turnHot("lobby", 6_000, i);
        await().until(() -> jedis.zscore("hot:rooms", "lobby") != null);
        hotRooms.cool("lobby");
        await().until(() -> jedis.zscore("hot:rooms", "lobby") == null);
      }
      hotRooms.turnHot("lobby", 6_000, 9);
      await().until(() -> jedis.zscore("hot:rooms", "lobby") != null);

      assertThat(jedis.zrange("hot:rooms", 0, -1)).containsExactly("lobby");
    }
  }

  @Test
  void severalKeepTheSameMarksAndEachOnlyItsOwn() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    Set<String> ours = ConcurrentHashMap.newKeySet();
    ours.add("both");
    HotMarks some = keepMarks(redis.address(), ours::contains);
    HotMarks most = keepMarks(redis.address(), room -> !room.equals("moving"));
    hotRooms.turnHot("both", 6_000, 1);
    hotRooms.turnHot("other", 6_000, 1);
    hotRooms.turnHot("moving", 6_000, 1);
    try (Jedis jedis = jedis(redis)) {
      await().until(() -> some.marks() == 1 && most.marks() == 2);
      assertThat(jedis.exists("hot:{moving}")).isFalse();

      ours.add("moving");
      await().until(() -> jedis.exists("hot:{moving}"));
      hotRooms.cool("both");
      await().until(() -> some.marks() == 1 && most.marks() == 1);
      assertThat(jedis.keys("hot:{*")).containsExactlyInAnyOrder("hot:{other}", "hot:{moving}");
    }
  }

  @Test
  void aMarkThatTellsOfALaterTurnIsNotRemoved() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    HotMarks marks = keepMarks(redis.address(), room -> true);
    hotRooms.turnHot("lobby", 6_000, 1_000);
    try (Jedis jedis = jedis(redis)) {
      await().until(() -> jedis.exists("hot:{lobby}"));
      FakeHotRooms ofAnother = new FakeHotRooms();
      ofAnother.turnHot("lobby", 8_000, 2_000);
      jedis.set(
          "hot:{lobby}",
          new String(HotVerdictJson.write(ofAnother.verdict("lobby")), StandardCharsets.UTF_8));

      hotRooms.cool("lobby");

      await().until(() -> marks.marks() == 0);
      assertThat(HotVerdictJson.read("lobby", bytes(jedis, "lobby")).rate()).isEqualTo(8_000);
      assertThat(jedis.zscore("hot:rooms", "lobby")).isNotNull();
    }
  }

  @Test
  void aRedisThatIsKilledFindsAllMarksRightSoonAfterItIsBack() throws Exception {
    set(SettingKey.HOT_TTL, "\"1h\"");
    RedisProcess redis = keep(new RedisProcess(directory));
    RedisLink link = keep(new RedisLink(redis.address()));
    HotMarks marks = keepMarks(link, room -> true);
    for (int i = 0; i < 1_000; i++) {
      hotRooms.turnHot("r" + i, 6_000, 1);
    }
    await().until(() -> marks.marks() == 1_000 && marks.lag().isZero());

    redis.kill();
    for (int i = 0; i < 500; i++) {
      hotRooms.cool("r" + i);
    }
    for (int i = 1_000; i < 1_500; i++) {
      hotRooms.turnHot("r" + i, 6_000, 2);
    }
    await().until(() -> link.state() == RedisLink.State.DOWN);
    await().until(() -> marks.lag().compareTo(Duration.ofMillis(500)) > 0);
    redis.start();

    try (Jedis jedis = jedis(redis)) {
      await()
          .atMost(Duration.ofSeconds(5))
          .until(() -> jedis.zcard("hot:rooms") == 1_000 && jedis.dbSize() == 1_001);
      assertThat(jedis.exists("hot:{r0}")).isFalse();
      assertThat(jedis.exists("hot:{r999}", "hot:{r1499}")).isEqualTo(2);
    }
    await().until(() -> marks.lag().isZero() && link.state() == RedisLink.State.UP);
  }

  @Test
  void aRedisThatIsBackIsNoticedThoughThereIsNothingToWrite() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory));
    RedisLink link = keep(new RedisLink(redis.address()));
    keepMarks(link, room -> true);
    redis.kill();
    hotRooms.turnHot("lobby", 6_000, 1);
    await().until(() -> link.state() == RedisLink.State.DOWN);
    hotRooms.cool("lobby");
    redis.start();

    await().until(() -> link.state() == RedisLink.State.UP);
  }

  @Test
  void aRedisThatNeverAnswersSlowsNobodyDown() throws Exception {
    SilentServer silent = keep(new SilentServer());
    RedisLink link = keep(new RedisLink(silent.address()));
    HotMarks marks = keepMarks(link, room -> true);

    long began = System.nanoTime();
    for (int i = 0; i < 100_000; i++) {
      hotRooms.turnHot("r" + i % 20_000, 6_000, 1);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));

    await().until(() -> link.state() == RedisLink.State.DOWN);
    await().until(() -> marks.lag().compareTo(Duration.ofSeconds(1)) > 0);
    assertThat(marks.marks()).isZero();
    assertThat(link.failures()).isLessThan(10);
  }

  @Test
  void aWrongPasswordIsAFailureThatNamesNoPassword() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory, "--requirepass", "right"));
    Logger log = (Logger) LoggerFactory.getLogger("dev.sluice.redis");
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    log.setLevel(Level.DEBUG);
    log.setAdditive(false);
    log.addAppender(lines);
    RedisLink wrong =
        keep(new RedisLink(RedisAddress.parse("redis://:wr0ng@127.0.0.1:" + redis.port())));
    HotMarks marks = keepMarks(wrong, room -> true);
    hotRooms.turnHot("lobby", 6_000, 1);
    await().until(() -> wrong.state() == RedisLink.State.DOWN);
    log.detachAppender(lines);
    log.setLevel(null);
    log.setAdditive(true);

    assertThat(marks.marks()).isZero();
    assertThat(wrong.toString()).doesNotContain("wr0ng");
    assertThat(lines.list).isNotEmpty();
    for (ILoggingEvent line : lines.list) {
      assertThat(line.getFormattedMessage()).doesNotContain("wr0ng");
      for (var cause = line.getThrowableProxy(); cause != null; cause = cause.getCause()) {
        assertThat(cause.getMessage()).doesNotContain("wr0ng");
      }
    }
    keepMarks(RedisAddress.parse("redis://default:right@127.0.0.1:" + redis.port()), room -> true);
    try (Jedis jedis = jedis(redis)) {
      jedis.auth("right");
      await().until(() -> jedis.exists("hot:{lobby}"));
    }
  }

  @Test
  void aClusterKeepsMarksToo() throws Exception {
    RedisProcess redis = keep(new RedisProcess(directory, "--cluster-enabled", "yes"));
    try (Jedis jedis = jedis(redis)) {
      jedis.clusterAddSlotsRange(0, 16_383);
      await().until(() -> jedis.clusterInfo().contains("cluster_state:ok"));
      String node = "redis://127.0.0.1:" + redis.port();
      HotMarks marks = keepMarks(RedisAddress.parse(node + "," + node), room -> true);
      hotRooms.turnHot("lobby", 6_000, 1);
      hotRooms.turnHot("hall", 6_000, 1);
      await().until(() -> jedis.zcard("hot:rooms") == 2);
      assertThat(jedis.exists("hot:{lobby}")).isTrue();
      assertThat(jedis.exists("hot:{hall}")).isTrue();

      hotRooms.cool("lobby");
      await().until(() -> marks.marks() == 1 && !jedis.exists("hot:{lobby}"));
      assertThat(jedis.zrange("hot:rooms", 0, -1)).containsExactly("hall");
    }
  }

  private HotMarks keepMarks(RedisAddress address, Predicate<String> ours) {
    return keepMarks(keep(new RedisLink(address)), ours);
  }

  private HotMarks keepMarks(RedisLink link, Predicate<String> ours) {
    HotMarks marks = keep(new HotMarks(link, hotRooms, () -> settings, ours, System::nanoTime));
    marks.start();
    return marks;
  }

  private <T> void set(SettingKey<T> key, String json) throws Exception {
    settings =
        settings.with(
            new SettingsView.InForce<>(
                new SettingAddress(key, SettingScope.GLOBAL), json, key.parse(json), 0, 0, null));
  }

  private static Jedis jedis(RedisProcess redis) {
    return new Jedis("127.0.0.1", redis.port());
  }

  private static byte[] bytes(Jedis jedis, String roomId) {
    return jedis.get(("hot:{" + roomId + "}").getBytes(StandardCharsets.UTF_8));
  }

  private <T extends AutoCloseable> T keep(T closeable) {
    opened.add(closeable);
    return closeable;
  }
}
