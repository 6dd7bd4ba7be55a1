package dev.sluice.rooms.streams;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.Membership;
import dev.sluice.contract.MembershipJson;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.SumMark;
import dev.sluice.contract.Topics;
import dev.sluice.hot.streams.HeatCounters;
import dev.sluice.hot.streams.HeatNodes;
import dev.sluice.query.FeedPage;
import dev.sluice.query.LocalRoomQueries;
import dev.sluice.query.OwnedLogs;
import dev.sluice.query.OwnedPart;
import dev.sluice.query.QueryException;
import dev.sluice.rooms.Feed;
import dev.sluice.rooms.Members;
import dev.sluice.settings.SettingsView;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RoomsTopologyTest {
  private static final Topics TOPICS = new Topics("t.", 1);
  private static final long NOON = Instant.parse("2026-11-30T12:00:00Z").toEpochMilli();
  private static final Duration SOON = Duration.ofSeconds(5);
  private static final Duration A_FLUSH = Duration.ofMillis(50);

  private final OwnedLogs<OwnedPart<Feed>> feeds = new OwnedLogs<>();
  private final OwnedLogs<OwnedPart<Members>> members = new OwnedLogs<>();
  private final RoomsCounters counters = new RoomsCounters();
  private final LocalRoomQueries queries =
      new LocalRoomQueries(feeds, members, new OwnedLogs<>(), 1, SOON);
  private final Properties settings = new Properties();
  private TopologyTestDriver driver;
  private TestInputTopic<byte[], byte[]> events;
  private TestInputTopic<byte[], byte[]> joins;
  private TestOutputTopic<byte[], byte[]> counts;
  private TestOutputTopic<byte[], byte[]> deadLetters;

  @BeforeEach
  void prepare(@TempDir Path directory) {
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "test");
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "nowhere:1");
    settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
    start();
  }

  private void start() {
    driver =
        new TopologyTestDriver(
            RoomsTopology.build(TOPICS, surroundings()), settings, Instant.ofEpochMilli(NOON));
    ByteArraySerializer in = new ByteArraySerializer();
    ByteArrayDeserializer out = new ByteArrayDeserializer();
    events = driver.createInputTopic(TOPICS.roomEvents(), in, in);
    joins = driver.createInputTopic(TOPICS.joins(), in, in);
    counts = driver.createOutputTopic(TOPICS.roomCounts(), out, out);
    deadLetters = driver.createOutputTopic(TOPICS.deadLetters(), out, out);
    feeds.get(0).logSeen(0, 0);
    members.get(0).logSeen(0, 0);
  }

  private RoomsTopology.Surroundings surroundings() {
    return new RoomsTopology.Surroundings(
        feeds,
        members,
        () -> SettingsView.EMPTY,
        counters,
        Runnable::run,
        100,
        new HeatNodes.Surroundings(
            new OwnedLogs<>(),
            new HeatCounters(),
            () -> null,
            () -> NOON,
            Runnable::run,
            100,
            1_000));
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  @Test
  void keepsTheNamesOfItsNodesAndStores() throws IOException {
    String described =
        RoomsTopology.build(new Topics(Topics.DEFAULT_PREFIX, 8), surroundings())
            .describe()
            .toString();

    try (InputStream golden = getClass().getResourceAsStream("rooms-topology.txt")) {
      assertThat(described.strip()).isEqualTo(new String(golden.readAllBytes(), UTF_8).strip());
    }
  }

  @Test
  void sumsUnmarkedEventsUnderItsOwnNameAtEachFlush() throws Exception {
    say("lobby", "lobby", null);
    say("lobby", "anything", null);
    driver.advanceWallClockTime(A_FLUSH);

    RoomSum sum = sums().get(sums.size() - 1);
    assertThat(sum.roomId()).isEqualTo("lobby");
    assertThat(sum.producer()).isEqualTo("room-events-0");
    assertThat(sum.slot()).isEqualTo(NOON / 1000);
    assertThat(sum.ageMillis()).isBetween(0L, 100L);
    assertThat(sum.cells()).containsExactly(cell(2));
    driver.advanceWallClockTime(A_FLUSH);
    assertThat(counts.isEmpty()).as("nothing new").isTrue();
  }

  @Test
  void sumsMarkedEventsUnderTheirMark() throws Exception {
    say("lobby", "lobby", new SumMark("edge-1", 42));
    say("lobby", "lobby", new SumMark("edge-1", 43));

    // The driver commits after each record.
    RoomSum sum = sums().get(sums.size() - 1);
    assertThat(sum.producer()).isEqualTo("edge-1");
    assertThat(sum.slot()).isEqualTo(4);
    assertThat(sum.cells())
        .containsExactly(new RoomSum.Cell(EventKind.MESSAGE, "KR", "ios", List.of(0L, 0L, 1L, 1L)));
    assertThat(counters.eventsSummed()).isEqualTo(2);
  }

  @Test
  void feedsWhatStandsUnderItsRoomAlone() {
    say("lobby", "lobby", null);
    say("lobby", "anything", null);
    say("lobby", null, null);

    FeedPage page = queries.feed("lobby", -1, 2, 10).join();
    assertThat(page.events()).extracting(FeedPage.FeedEvent::cursor).containsExactly(0L);
    assertThat(page.events().get(0).at()).isEqualTo(NOON);
    assertThat(page.events().get(0).value()).isEqualTo(RoomEventJson.write(message("lobby")));
    assertThat(counters.eventsFed()).isEqualTo(1);
  }

  @Test
  void countsWhatStandsInAWrongPartitionButFeedsItNot() throws Exception {
    driver.close();
    Topics topics = new Topics("t.", 2);
    String room = "b".repeat(firstLengthInPartitionOne());
    driver =
        new TopologyTestDriver(
            RoomsTopology.build(topics, surroundings()), settings, Instant.ofEpochMilli(NOON));
    events =
        driver.createInputTopic(
            topics.roomEvents(), new ByteArraySerializer(), new ByteArraySerializer());
    // The driver puts everything into partition 0.
    say(room, room, null);

    assertThat(counters.eventsSummed()).isEqualTo(1);
    assertThat(counters.eventsFed()).isZero();
  }

  private static int firstLengthInPartitionOne() {
    int length = 1;
    while (Partitions.of("b".repeat(length), 2) != 1) {
      length++;
    }
    return length;
  }

  @Test
  void answersOnceAllThroughTheCursorIsApplied() {
    CompletableFuture<FeedPage> early = queries.feed("lobby", -1, 1, 10);
    say("lobby", "lobby", null);
    assertThat(early).isNotDone();
    say("lobby", "lobby", null);
    assertThat(early.join().events()).hasSize(2);

    CompletableFuture<FeedPage> never = queries.feed("lobby", 7, -1, 10);
    feeds.expireWaiters(System.nanoTime() + SOON.toNanos() + 1);
    assertThat(kindOf(never)).isEqualTo(QueryException.Kind.BEHIND);
  }

  @Test
  void countsWhoIsIn() {
    member("ann", true);
    member("ann", true);
    member("bob", true);
    member("bob", false);
    member("eve", true);
    member("nobody", false);
    assertThat(queries.members("lobby").join()).isEqualTo(2);
    assertThat(queries.members("other").join()).isZero();
  }

  @Test
  void buriesWhatIsNoEventAndNoMembershipAndGoesOn() {
    for (byte[] value :
        new byte[][] {
          null,
          {},
          bytes("not json"),
          bytes("[".repeat(60_000)),
          new byte[200_000],
          bytes("{\"type\":\"DANCE\",\"v\":1,\"roomId\":\"lobby\"}"),
          bytes("{\"type\":\"MESSAGE\",\"v\":2,\"roomId\":\"lobby\"}"),
          bytes("{\"type\":\"MESSAGE\",\"v\":1,\"roomId\":\"lob by\"}"),
        }) {
      events.pipeInput(new TestRecord<>(bytes("lobby"), value, Instant.ofEpochMilli(NOON)));
      joins.pipeInput(new TestRecord<>(bytes("lobby"), value, Instant.ofEpochMilli(NOON)));
    }
    joins.pipeInput(
        new TestRecord<>(
            null,
            MembershipJson.write(new Membership("lobby", "ann", true, null, null)),
            Instant.ofEpochMilli(NOON)));
    say("lobby", "lobby", null);
    member("ann", true);

    assertThat(deadLetters.readRecordsToList()).hasSize(17);
    assertThat(counters.invalidRecords()).isEqualTo(17);
    assertThat(queries.feed("lobby", -1, 8, 10).join().events()).hasSize(1);
    assertThat(queries.members("lobby").join()).isEqualTo(1);
  }

  @Test
  void aMarkThatIsNoneLeavesTheEventUnmarked() throws Exception {
    for (String mark : List.of("", "/", "edge/", "edge/noon", "a b/7", "x".repeat(300) + "/1")) {
      RecordHeaders headers = new RecordHeaders();
      headers.add(SumMark.HEADER, bytes(mark));
      events.pipeInput(
          new TestRecord<>(
              bytes("lobby"),
              RoomEventJson.write(message("lobby")),
              headers,
              Instant.ofEpochMilli(NOON)));
    }
    driver.advanceWallClockTime(A_FLUSH);

    List<RoomSum> sums = sums();
    assertThat(sums).extracting(RoomSum::producer).containsOnly("room-events-0");
    assertThat(sums.get(sums.size() - 1).cells()).containsExactly(cell(6));
  }

  private final List<RoomSum> sums = new ArrayList<>();

  private List<RoomSum> sums() throws Exception {
    for (TestRecord<byte[], byte[]> record : counts.readRecordsToList()) {
      sums.add((RoomSum) RoomCountJson.read(new String(record.key(), UTF_8), record.value()));
    }
    return sums;
  }

  private static RoomSum.Cell cell(long count) {
    return new RoomSum.Cell(EventKind.MESSAGE, "KR", "ios", List.of(count));
  }

  private void say(String room, String key, SumMark mark) {
    RecordHeaders headers = new RecordHeaders();
    if (mark != null) {
      headers.add(SumMark.HEADER, mark.toHeader());
    }
    events.pipeInput(
        new TestRecord<>(
            key == null ? null : bytes(key),
            RoomEventJson.write(message(room)),
            headers,
            Instant.ofEpochMilli(NOON)));
  }

  private static RoomEvent message(String room) {
    return new RoomEvent(EventKind.MESSAGE, room, "ann", "KR", "ios", "{\"text\":\"hi\"}");
  }

  private void member(String user, boolean joins) {
    this.joins.pipeInput(
        new TestRecord<>(
            bytes("lobby"),
            MembershipJson.write(new Membership("lobby", user, joins, null, null)),
            Instant.ofEpochMilli(NOON)));
  }

  private static QueryException.Kind kindOf(CompletableFuture<?> refused) {
    return ((QueryException) refused.handle((answer, failure) -> failure).join()).kind();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
