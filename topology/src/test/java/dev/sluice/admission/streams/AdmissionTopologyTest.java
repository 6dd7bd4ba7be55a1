package dev.sluice.admission.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Command;
import dev.sluice.contract.CommandJson;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.OutcomeJson;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Topics;
import dev.sluice.query.Answer;
import dev.sluice.query.LocalQueries;
import dev.sluice.query.OwnedPartitions;
import dev.sluice.query.QueryException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.header.Header;
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

class AdmissionTopologyTest {
  private static final Topics TOPICS = new Topics("t.", 1);
  private static final long NOON = Instant.parse("2026-11-30T12:00:00Z").toEpochMilli();
  private static final Duration SOON = Duration.ofSeconds(5);

  private final OwnedPartitions owned = new OwnedPartitions();
  private final AdmissionCounters counters = new AdmissionCounters();
  private final LocalQueries queries = new LocalQueries(owned, 1, SOON, () -> NOON);
  private TopologyTestDriver driver;
  private TestInputTopic<byte[], byte[]> entries;
  private TestOutputTopic<byte[], byte[]> outcomes;
  private TestOutputTopic<byte[], byte[]> deadLetters;

  @BeforeEach
  void start(@TempDir Path directory) {
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, "test");
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "nowhere:1");
    settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    driver =
        new TopologyTestDriver(
            AdmissionTopology.build(
                TOPICS, new AdmissionTopology.Surroundings(owned, counters, Runnable::run, 100)),
            settings,
            Instant.ofEpochMilli(NOON));
    ByteArraySerializer in = new ByteArraySerializer();
    ByteArrayDeserializer out = new ByteArrayDeserializer();
    entries = driver.createInputTopic(TOPICS.entries(), in, in);
    outcomes = driver.createOutputTopic(TOPICS.outcomes(), out, out);
    deadLetters = driver.createOutputTopic(TOPICS.deadLetters(), out, out);
    send(
        null,
        new Command.Configure(List.of(new AcceptedSetting("admission.capacity", null, "2", 0))));
    owned.get(0).logSeen(0, 1);
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  @Test
  void keepsTheNamesOfItsNodesAndStores() throws IOException {
    String described =
        AdmissionTopology.build(
                new Topics(Topics.DEFAULT_PREFIX, 8),
                new AdmissionTopology.Surroundings(owned, counters, Runnable::run, 100))
            .describe()
            .toString();

    try (InputStream golden = getClass().getResourceAsStream("admission-topology.txt")) {
      assertThat(described.strip())
          .isEqualTo(new String(golden.readAllBytes(), StandardCharsets.UTF_8).strip());
    }
  }

  @Test
  void writesWhatACommandChangedUnderItsRoom() throws Exception {
    send("film", new Command.Enter("film", "ann", "s1"));

    List<Outcome.PersonChanged> changes = peopleChanged();
    assertThat(changes)
        .extracting(Outcome.PersonChanged::requestId, Outcome.PersonChanged::status)
        .containsExactly(tuple("ann", PersonStatus.WAITING), tuple("ann", PersonStatus.ADMITTED));
    assertThat(changes.get(0).receipt().offset()).isEqualTo(1);
    assertThat(changes.get(0).receipt().at()).isEqualTo(NOON);
  }

  @Test
  void answersWhoeverAwaitsAnOffset() {
    CompletableFuture<Answer> before = queries.await(0, 1, SOON);
    assertThat(before).isNotDone();

    send("film", new Command.Enter("film", "ann", "s1"));

    assertThat(before.join().person().requestId()).isEqualTo("ann");
    assertThat(before.join().person().status()).isEqualTo(PersonStatus.ADMITTED);
    assertThat(queries.await(0, 1, SOON).join()).isEqualTo(before.join());
    assertThat(queries.person("film", "ann", 1).join().orElseThrow().ticket()).isEqualTo(1);
  }

  @Test
  void answersForATickAndForAnOffsetItNoLongerRemembers() {
    send(null, new Command.Tick());
    assertThat(queries.await(0, 1, SOON).join().result()).isEqualTo(Answer.Result.DONE);
    assertThat(queries.await(0, 1, SOON).join().person()).isNull();
    assertThat(queries.await(0, -1, SOON).join().person()).isNull();
  }

  @Test
  void buriesWhatIsNoCommandAndGoesOn() {
    entries.pipeInput(
        new TestRecord<>(bytes("film"), bytes("not json"), Instant.ofEpochMilli(NOON)));
    entries.pipeInput(new TestRecord<>(bytes("film"), null, Instant.ofEpochMilli(NOON)));
    entries.pipeInput(
        new TestRecord<>(null, bytes("{\"type\":\"DANCE\",\"v\":1}"), Instant.ofEpochMilli(NOON)));
    send("film", new Command.Enter("film", "ann", "s1"));

    List<TestRecord<byte[], byte[]>> buried = deadLetters.readRecordsToList();
    assertThat(buried).hasSize(3);
    assertThat(buried.get(0).key()).isEqualTo(bytes("film"));
    assertThat(buried.get(0).value()).isEqualTo(bytes("not json"));
    assertThat(buried.get(1).value()).isNull();
    assertThat(buried.get(0).headers().toArray()).extracting(Header::key).isNotEmpty();
    assertThat(queries.await(0, 1, SOON).join().result()).isEqualTo(Answer.Result.INVALID);
    assertThat(queries.await(0, 4, SOON).join().person().requestId()).isEqualTo("ann");
    assertThat(counters.invalidRecords()).isEqualTo(3);
  }

  @Test
  void buriesWhatHasAKeyThatCanBeNoRoomHoweverLong() {
    for (byte[] key : List.of(new byte[11_000], bytes("x".repeat(900_000)), bytes("a b"))) {
      entries.pipeInput(new TestRecord<>(key, bytes("{}"), Instant.ofEpochMilli(NOON)));
    }
    send("film", new Command.Enter("film", "ann", "s1"));

    assertThat(deadLetters.readRecordsToList()).hasSize(3);
    assertThat(queries.await(0, 4, SOON).join().person().requestId()).isEqualTo("ann");
  }

  @Test
  void tellsThoseWhoWaitThatThePartitionMoves() {
    CompletableFuture<Answer> waiting = queries.await(0, 7, SOON);

    owned.closed(owned.get(0));

    assertThat(kindOf(waiting)).isEqualTo(QueryException.Kind.MOVING);
    assertThat(kindOf(queries.room("film"))).isEqualTo(QueryException.Kind.MOVING);
  }

  private static QueryException.Kind kindOf(CompletableFuture<?> refused) {
    return ((QueryException) refused.handle((answer, failure) -> failure).join()).kind();
  }

  private void send(String room, Command command) {
    entries.pipeInput(
        new TestRecord<>(
            room == null ? null : bytes(room),
            CommandJson.write(command),
            Instant.ofEpochMilli(NOON)));
  }

  private List<Outcome.PersonChanged> peopleChanged() throws Exception {
    List<Outcome.PersonChanged> changes = new ArrayList<>();
    for (TestRecord<byte[], byte[]> record : outcomes.readRecordsToList()) {
      String key = new String(record.key(), StandardCharsets.UTF_8);
      if (OutcomeJson.read(key, record.value()) instanceof Outcome.PersonChanged change) {
        changes.add(change);
      }
    }
    return changes;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
