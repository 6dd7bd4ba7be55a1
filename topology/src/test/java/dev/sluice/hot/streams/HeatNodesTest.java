package dev.sluice.hot.streams;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.Audience;
import dev.sluice.contract.EventKind;
import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.HotVerdictJson;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.RoomCount;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.Topics;
import dev.sluice.hot.HeatPartition;
import dev.sluice.hot.HeatReader;
import dev.sluice.hot.HotRules;
import dev.sluice.query.OwnedLogs;
import dev.sluice.query.OwnedPart;
import dev.sluice.settings.SettingsView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The second stage of counting between its topics, its store and its readers. */
class HeatNodesTest {
  private static final long START = 1_796_000_000_000L;

  /** One partition, as the driver has. */
  private static final Topics TOPICS = new Topics("sluice.", 1);

  private static final String ROOM = "lobby";

  private final OwnedLogs<OwnedPart<HeatReader>> owned = new OwnedLogs<>();
  private final HeatCounters counters = new HeatCounters();
  private HotRules rules = new HotRules(SettingsView.EMPTY);
  private long now = START;
  private TopologyTestDriver driver;
  private TestInputTopic<String, byte[]> counts;
  private TestOutputTopic<String, byte[]> verdicts;
  private TestOutputTopic<String, byte[]> deadLetters;

  @BeforeEach
  void start() {
    Topology topology =
        HeatNodes.addTo(
            new Topology(),
            TOPICS,
            new HeatNodes.Surroundings(
                owned, counters, () -> rules, () -> now, Runnable::run, 100, 1_000));
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "heat");
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "nowhere:1");
    driver = new TopologyTestDriver(topology, settings, Instant.ofEpochMilli(START));
    counts =
        driver.createInputTopic(
            TOPICS.roomCounts(), new StringSerializer(), new ByteArraySerializer());
    verdicts =
        driver.createOutputTopic(
            TOPICS.hotRooms(), new StringDeserializer(), new ByteArrayDeserializer());
    deadLetters =
        driver.createOutputTopic(
            TOPICS.deadLetters(), new StringDeserializer(), new ByteArrayDeserializer());
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  @Test
  void aVerdictIsWrittenWithTheSumThatCausesIt() throws Exception {
    say(sum("edge", 5_001));

    KeyValue<String, byte[]> verdict = verdicts.readKeyValue();
    assertThat(verdict.key).isEqualTo(ROOM);
    assertThat(HotVerdictJson.read(ROOM, verdict.value))
        .isEqualTo(new HotVerdict(ROOM, "room", 5_001, 5_000, 5, START, START));
    assertThat(reader().hot()).hasSize(1);
    assertThat(counters.turns()).isEqualTo(1);
    assertThat(reader().figures().decisionMillis()).containsExactly(0L);
  }

  @Test
  void aRoomThatCoolsLeavesATombstone() {
    say(sum("edge", 5_001));
    verdicts.readKeyValue();
    KeyValue<String, byte[]> last = null;
    for (int tenths = 0; tenths < 120; tenths++) {
      pass(Duration.ofMillis(100));
      last = verdicts.isEmpty() ? last : verdicts.readKeyValue();
    }

    assertThat(last).isEqualTo(new KeyValue<>(ROOM, null));
    assertThat(reader().hot()).isEmpty();
  }

  @Test
  void whatIsNoCountIsDeadLetteredAndTheNextOneCounts() {
    counts.pipeInput(ROOM, "{\"type\":\"SUM\"".getBytes(UTF_8), START);
    counts.pipeInput(ROOM, null, START);
    counts.pipeInput(null, RoomCountJson.write(sum("edge", 1)), START);
    say(sum("edge", 7));

    assertThat(deadLetters.readRecordsToList())
        .hasSize(3)
        .allSatisfy(letter -> assertThat(letter.headers().toArray()).isNotEmpty());
    assertThat(counters.invalidRecords()).isEqualTo(3);
    assertThat(reader().room(ROOM).rate()).isEqualTo(7);
  }

  @Test
  void aNewThresholdIsJudgedByWithoutAnEvent() {
    say(sum("edge", 4_000));
    assertThat(verdicts.isEmpty()).isTrue();

    rules = null;
    pass(Duration.ofMillis(100));
    rules = Thresholds.of(3_999);
    pass(Duration.ofMillis(100));

    assertThat(verdicts.readKeyValue().key).isEqualTo(ROOM);
  }

  @Test
  void aVerdictOfTheOwnerBeforeThatTheStateDoesNotKnowIsTakenOverAndCools() {
    KeyValueStore<Bytes, byte[]> known = driver.getKeyValueStore(HeatNodes.HOT_ROOMS_KNOWN);
    known.put(
        Bytes.wrap(ROOM.getBytes(UTF_8)),
        HotVerdictJson.write(new HotVerdict(ROOM, "app=ios", 900, 500, 5, START - 1, START)));
    pass(Duration.ofMillis(100));
    assertThat(reader().hot()).hasSize(1);

    KeyValue<String, byte[]> last = null;
    for (int tenths = 0; tenths < 60; tenths++) {
      pass(Duration.ofMillis(100));
      last = verdicts.isEmpty() ? last : verdicts.readKeyValue();
    }
    assertThat(last).isEqualTo(new KeyValue<>(ROOM, null));
  }

  @Test
  void whatACommitWroteIsThereAgainForTheNextOwner() {
    say(sum("edge", 5_001));
    say(new Audience(ROOM, "notifier", 12));
    verdicts.readKeyValue();

    HeatRows rows = new HeatRows(driver.getKeyValueStore(HeatNodes.HEAT_STORE));
    // The driver commits after each record.
    HeatPartition next = new HeatPartition(10, decision -> {});
    rows.restoreTo(next, now);
    next.judgeBy(rules, now);

    assertThat(next.isHot(ROOM)).isTrue();
    assertThat(next.room(ROOM, now).rate()).isEqualTo(5_001);
    assertThat(next.room(ROOM, now).audience()).isEqualTo(12);
    assertThat(next.room(ROOM, now).byCountry().get("KR").rate()).isEqualTo(5_001);
  }

  private HeatReader reader() {
    return owned.get(Partitions.of(ROOM, TOPICS.partitions())).reader();
  }

  private void say(RoomCount count) {
    counts.pipeInput(count.roomId(), RoomCountJson.write(count), now);
  }

  private void pass(Duration time) {
    now += time.toMillis();
    driver.advanceWallClockTime(time);
  }

  private RoomSum sum(String producer, long events) {
    RoomSum.Cell cell = new RoomSum.Cell(EventKind.MESSAGE, "KR", "ios", List.of(events));
    return new RoomSum(ROOM, producer, now / 1_000, 0, List.of(cell));
  }
}
