package dev.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.sluice.broker.BrokerConfig;
import dev.sluice.broker.EmbeddedBroker;
import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Command;
import dev.sluice.contract.EventKind;
import dev.sluice.contract.Membership;
import dev.sluice.contract.MembershipJson;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.Topics;
import dev.sluice.log.CommandLog;
import dev.sluice.log.HotRoomsFollower;
import dev.sluice.query.Answer;
import dev.sluice.query.FeedPage;
import dev.sluice.query.PersonView;
import dev.sluice.query.QueryException;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.query.SystemView.PartitionView;
import dev.sluice.runtime.TopologyMetrics.RoomsPartitionMetrics;
import dev.sluice.settings.ConfigWriter;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import dev.sluice.settings.SettingsFollower;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The topology tier against a real broker, which all tests share under prefixes of their own. */
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TopologyRuntimeTest {
  private static final Duration START = Duration.ofSeconds(60);
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final String ROOM = "film";

  private static EmbeddedBroker broker;
  private static Map<String, Object> kafka;

  private Path directory;
  private Topics topics;
  private TopologyConfig config;
  private CommandLog log;
  private SettingsFollower settings;
  private TopologyRuntime topology;

  @BeforeAll
  static void startBroker(@TempDir Path directory) {
    broker = EmbeddedBroker.start(BrokerConfig.local(directory));
    kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  @AfterAll
  static void stopBroker() {
    broker.close();
  }

  @BeforeEach
  void prepare(@TempDir Path directory, TestInfo test) {
    this.directory = directory;
    String name = test.getTestMethod().orElseThrow().getName();
    topics = new Topics(name + ".", 1);
    config = config(directory);
    log = new CommandLog(kafka, topics, CommandLog.Limits.DEFAULT);
  }

  private TopologyConfig config(Path directory) {
    TopologyConfig plain = TopologyConfig.of(kafka, topics, directory, "one");
    return new TopologyConfig(
        kafka,
        topics,
        (short) 1,
        topics.prefix().replace('.', '-'),
        directory,
        "one",
        1,
        0,
        true,
        plain.commitInterval(),
        null,
        plain.maxWaiters());
  }

  @AfterEach
  void stop() {
    stopTopology();
    log.close();
  }

  @Test
  void aSettingIsInForceWithinASecond() throws Exception {
    start();
    awaitReady();
    enter("ann");
    try (ConfigWriter writer = new ConfigWriter(kafka, topics)) {
      // The first change finds a JVM that has never made one.
      change(writer, "\"DRAINING\"");
      awaitEnterIs(Answer.Result.ROOM_DRAINING);

      change(writer, "\"CLOSED\"");
      long written = System.nanoTime();
      awaitEnterIs(Answer.Result.ROOM_CLOSED);
      assertThat(System.nanoTime() - written).isLessThan(secondsUnlessOverloaded(1));
    }
  }

  private static void change(ConfigWriter writer, String state) throws Exception {
    writer
        .put(SettingKey.ADMISSION_STATE, SettingScope.room(ROOM), state, "a test")
        .get(20, TimeUnit.SECONDS);
  }

  private void awaitEnterIs(Answer.Result result) {
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> answerTo(enter("p" + System.nanoTime())).result() == result);
  }

  @Test
  void peopleExpireWithoutAnyoneDoingAnything() throws Exception {
    start();
    awaitReady();
    configure(
        new AcceptedSetting("admission.capacity", null, "1", 1_000_000),
        new AcceptedSetting("admission.session-timeout", null, "\"1s\"", 1_000_000));
    PersonView ann = answerTo(enter("ann")).person();
    PersonView bob = answerTo(enter("bob")).person();
    assertThat(ann.status()).isEqualTo(PersonStatus.ADMITTED);
    assertThat(bob.status()).isEqualTo(PersonStatus.WAITING);

    await().atMost(SOON).until(() -> person("ann").status() == PersonStatus.EXPIRED);
    assertThat(person("bob").status()).isNotEqualTo(PersonStatus.WAITING);
    assertThat(topology.metrics().ticksSent()).isPositive();
  }

  @Test
  void aPoisonedRecordIsPassedOverAndWhoAwaitsALaterOffsetIsAnswered() throws Exception {
    start();
    awaitReady();
    poison(bytes("not json"));
    poison(null);
    Answer answer = answerTo(enter("ann"));
    assertThat(answer.person().requestId()).isEqualTo("ann");
    assertThat(topology.metrics().invalidRecords()).isEqualTo(2);
    assertThat(topology.isReady()).isTrue();
  }

  @Test
  void whoAwaitsAnOffsetThatNeverComesIsTold() throws Exception {
    start();
    awaitReady();
    CompletableFuture<Answer> never =
        topology.queries().await(0, 1_000_000, Duration.ofMillis(300));
    assertThat(kindOf(never)).isEqualTo(QueryException.Kind.TIMED_OUT);
  }

  @Test
  void whatWasAppliedIsNotAppliedAgainWhenTheGroupsOffsetsAreLost() throws Exception {
    start();
    awaitReady();
    PersonView ann = answerTo(enter("ann")).person();
    await().atMost(SOON).until(this::isCommitted);
    stopTopology();
    try (Admin admin = Admin.create(kafka)) {
      await()
          .atMost(SOON)
          .ignoreExceptions()
          .until(
              () -> {
                admin
                    .deleteConsumerGroups(List.of(config.admissionApplication()))
                    .all()
                    .get(10, TimeUnit.SECONDS);
                return true;
              });
    }

    start();
    awaitReady();

    assertThat(answerTo(enter("bob")).person().ticket()).isEqualTo(2);
    assertThat(person("ann").ticket()).isEqualTo(ann.ticket());
  }

  @Test
  void commandsThatAreGoneFromTheLogStopThePartitionInWords() throws Exception {
    start();
    awaitReady();
    answerTo(enter("ann"));
    await().atMost(SOON).until(this::isCommitted);
    stopTopology();
    Receipt lost = enter("bob");
    try (Admin admin = Admin.create(kafka)) {
      admin
          .deleteRecords(
              Map.of(
                  new TopicPartition(topics.entries(), 0),
                  RecordsToDelete.beforeOffset(lost.offset() + 1)))
          .all()
          .get(20, TimeUnit.SECONDS);
    }

    start();

    await().atMost(START).until(() -> status() == PartitionStatus.HALTED);
    assertThat(topology.isReady()).isFalse();
    assertThat(topology.partitions().get(0).detail()).contains("commands");
    assertThat(kindOf(topology.queries().room(ROOM))).isEqualTo(QueryException.Kind.HALTED);
  }

  @Test
  void aHaltedPartitionBeginsWithTheCommandThatHaltedItWhenStartedAgain() throws Exception {
    start();
    awaitReady();
    Receipt rules = log.append(0, null, new Command.Rules(99)).get(20, TimeUnit.SECONDS);
    await().atMost(SOON).until(() -> status() == PartitionStatus.HALTED);
    enter("ann");
    stopTopology();

    start();

    await().atMost(START).until(() -> status() == PartitionStatus.HALTED);
    assertThat(topology.partitions().get(0).detail())
        .contains("offset " + rules.offset() + " asks for version 99");
  }

  @Test
  void whatIsSaidInARoomIsSummedAndCanBeFetchedAlsoAfterARestart() throws Exception {
    start();
    awaitReady();
    say("lobby");
    long last = say("lobby");
    join("lobby", "ann");

    FeedPage page = topology.roomQueries().feed("lobby", -1, last, 10).get(10, TimeUnit.SECONDS);
    assertThat(page.events()).hasSize(2);
    assertThat(page.cursor()).isEqualTo(last);
    await().atMost(SOON).until(() -> members("lobby") == 1);
    await().atMost(SOON).until(() -> topology.metrics().rooms().sumsSent() > 0);
    assertThat(topology.metrics().rooms().eventsSummed()).isEqualTo(2);

    stopTopology();
    start();
    awaitReady();

    page = topology.roomQueries().feed("lobby", -1, last, 10).get(10, TimeUnit.SECONDS);
    assertThat(page.events()).hasSize(2);
    assertThat(members("lobby")).isEqualTo(1);
    assertThat(topology.metrics().rooms().partitions())
        .extracting(RoomsPartitionMetrics::status, RoomsPartitionMetrics::lag)
        .containsExactly(tuple("READY", 0L));
  }

  @Test
  void aRoomIsJudgedWhileTheEventsOfAnotherInItsPartitionAreABacklog() throws Exception {
    start();
    awaitReady();
    stopTopology();
    int backlog = 500_000;
    storm(backlog);
    try (HotRoomsFollower verdicts = new HotRoomsFollower(kafka, topics, System::nanoTime)) {
      verdicts.start();
      start();
      await().atMost(START).until(() -> topology.metrics().rooms().eventsSummed() > 0);
      RoomSum.Cell cell = new RoomSum.Cell(EventKind.MESSAGE, null, null, List.of(6_000L));
      append(
          topics.roomCounts(),
          "calm",
          RoomCountJson.write(new RoomSum("calm", "edge", 1, 0, List.of(cell))));

      await().atMost(SOON).pollInterval(Duration.ofMillis(5)).until(() -> verdicts.isHot("calm"));
      long summed = topology.metrics().rooms().eventsSummed();
      System.out.printf("MEASURED a verdict with %d of %d events summed%n", summed, backlog);
      assertThat(summed).isLessThan(backlog);
      await().atMost(START).until(() -> topology.metrics().rooms().eventsSummed() == backlog);
    }
  }

  /** Unmarked, as another program writes them. */
  private void storm(int events) {
    byte[] event =
        RoomEventJson.write(new RoomEvent(EventKind.MESSAGE, "storm", null, null, null, null));
    Map<String, Object> settings =
        Map.of("bootstrap.servers", broker.bootstrapServers(), "batch.size", 500_000);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      for (int i = 0; i < events; i++) {
        var unused = producer.send(new ProducerRecord<>(topics.roomEvents(), 0, null, event));
      }
    }
  }

  private long members(String room) throws Exception {
    return topology.roomQueries().members(room).get(10, TimeUnit.SECONDS);
  }

  private long say(String room) throws Exception {
    return append(
        topics.roomEvents(),
        room,
        RoomEventJson.write(new RoomEvent(EventKind.MESSAGE, room, null, null, null, null)));
  }

  private void join(String room, String user) throws Exception {
    append(
        topics.joins(), room, MembershipJson.write(new Membership(room, user, true, null, null)));
  }

  private long append(String topic, String key, byte[] value) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(kafka, new ByteArraySerializer(), new ByteArraySerializer())) {
      return producer
          .send(new ProducerRecord<>(topic, 0, bytes(key), value))
          .get(20, TimeUnit.SECONDS)
          .offset();
    }
  }

  @Test
  void aSecondInstanceOnTheSameDirectoryIsRefused() {
    start();
    TopologyRuntime second = new TopologyRuntime(config, log, settings);
    assertThatThrownBy(second::start)
        .isInstanceOf(StartException.class)
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("in use by another Sluice");
  }

  @Test
  void aTopicThatDiffersIsRefusedInWords() throws Exception {
    try (Admin admin = Admin.create(kafka)) {
      admin
          .createTopics(List.of(new NewTopic(topics.entries(), 3, (short) 1)))
          .all()
          .get(20, TimeUnit.SECONDS);
    }
    assertThatThrownBy(() -> new TopicsStep(kafka, topics, (short) 1).run())
        .isInstanceOf(StartException.class)
        .hasMessageContaining(topics.entries() + " has 3 partitions and must have 1")
        .hasMessageContaining("message.timestamp.type=CreateTime and must have LogAppendTime");
  }

  private static QueryException.Kind kindOf(CompletableFuture<?> refused) {
    ExecutionException failure =
        assertThatExceptionOfType(ExecutionException.class)
            .isThrownBy(() -> refused.get(10, TimeUnit.SECONDS))
            .actual();
    return ((QueryException) failure.getCause()).kind();
  }

  private void start() {
    settings = new SettingsFollower(kafka, topics, config.settingsApplication());
    topology = new TopologyRuntime(config, log, settings);
    topology.start();
    settings.start();
  }

  private void stopTopology() {
    if (topology != null) {
      topology.close();
      settings.close();
      topology = null;
    }
  }

  private void awaitReady() {
    await().atMost(START).until(topology::isReady);
  }

  private PartitionStatus status() {
    List<PartitionView> partitions = topology.partitions();
    return partitions.isEmpty() ? PartitionStatus.UNOWNED : partitions.get(0).status();
  }

  /** Whether the group's offset has come to the end of what was applied. */
  private boolean isCommitted() throws Exception {
    try (Admin admin = Admin.create(kafka)) {
      var committed =
          admin
              .listConsumerGroupOffsets(config.admissionApplication())
              .partitionsToOffsetAndMetadata()
              .get(10, TimeUnit.SECONDS)
              .get(new TopicPartition(topics.entries(), 0));
      return committed != null
          && committed.offset() == topology.partitions().get(0).appliedOffset() + 1;
    }
  }

  private Receipt enter(String person) throws Exception {
    return log.append(0, ROOM, new Command.Enter(ROOM, person, "session-" + person))
        .get(20, TimeUnit.SECONDS);
  }

  private void configure(AcceptedSetting... with) throws Exception {
    Receipt receipt =
        log.append(0, null, new Command.Configure(List.of(with))).get(20, TimeUnit.SECONDS);
    answerTo(receipt);
  }

  private Answer answerTo(Receipt receipt) throws Exception {
    return topology.queries().await(0, receipt.offset(), SOON).get(30, TimeUnit.SECONDS);
  }

  private PersonView person(String name) throws Exception {
    return topology.queries().person(ROOM, name, -1).get(10, TimeUnit.SECONDS).orElseThrow();
  }

  private void poison(byte[] value) throws Exception {
    append(topics.entries(), ROOM, value);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A bound that says nothing on a machine that has far too much to do. */
  private static long secondsUnlessOverloaded(long seconds) {
    var machine = ManagementFactory.getOperatingSystemMXBean();
    boolean overloaded = machine.getSystemLoadAverage() > 2.0 * machine.getAvailableProcessors();
    return TimeUnit.SECONDS.toNanos(overloaded ? 60 : seconds);
  }
}
