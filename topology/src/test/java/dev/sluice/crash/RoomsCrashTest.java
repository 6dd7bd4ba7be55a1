package dev.sluice.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.broker.EmbeddedBroker;
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
import dev.sluice.query.Address;
import dev.sluice.query.FeedPage;
import dev.sluice.query.FeedPage.FeedEvent;
import dev.sluice.query.LocalRoomQueries;
import dev.sluice.query.OwnedKind;
import dev.sluice.query.PeerOwners;
import dev.sluice.query.QueryClient;
import dev.sluice.query.RoutedRoomQueries;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Events and joins are logged while the topology is killed again and again: afterwards what was
 * counted, said and who is in are what was logged.
 */
@Tag("slow")
@Timeout(value = 4, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RoomsCrashTest {
  private static final Duration START = Duration.ofSeconds(60);
  private static final int KILLS = 4;
  private static final int ROOMS = 40;
  private static final int PEOPLE = 30;

  private final Topics topics = new Topics("crash.", 2);
  private final Random random = new Random();
  private Path directory;
  private String kafka;
  private int queryPort;
  private ChildJvm broker;
  private ChildJvm topology;
  private RoutedRoomQueries queries;
  private volatile boolean enough;

  private record Counted(
      String room, String by, long slot, EventKind kind, String country, String app, int tenth) {}

  @BeforeEach
  void start(@TempDir Path directory) throws Exception {
    this.directory = directory;
    int brokerPort = freePort();
    queryPort = freePort();
    kafka = "127.0.0.1:" + brokerPort;
    broker =
        ChildJvm.start(
            "broker",
            EmbeddedBroker.class,
            directory.resolve("broker").toString(),
            String.valueOf(brokerPort));
    broker.await("ready", START);
    Duration patience = Duration.ofSeconds(2);
    QueryClient client = new QueryClient(TopologyProgram.TOKEN, patience);
    List<Address> peer = List.of(new Address("127.0.0.1", queryPort));
    queries =
        new RoutedRoomQueries(
            LocalRoomQueries.none(topics.partitions(), patience),
            new PeerOwners(client, OwnedKind.ROOMS, peer),
            new PeerOwners(client, OwnedKind.HEAT, peer),
            client);
  }

  @AfterEach
  void stop() {
    enough = true;
    if (topology != null) {
      topology.close();
    }
    broker.close();
  }

  @Test
  void whatIsCountedKeptAndWhoIsInAreWhatWasLoggedHoweverOftenItIsKilled() throws Exception {
    startTopology();
    topology.await("ready", START);
    Thread writing = new Thread(this::write, "events and joins");
    writing.start();
    for (int kill = 0; kill < KILLS; kill++) {
      pause(500 + random.nextInt(2_500));
      topology.kill();
      startTopology();
      if (kill % 2 == 0) {
        topology.await("ready", START);
      }
    }
    topology.await("ready", START);
    pause(1_000);
    enough = true;
    writing.join();

    List<ConsumerRecord<byte[], byte[]>> events = all(topics.roomEvents());
    Map<Counted, Long> logged = logged(events);
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(counted()).isEqualTo(logged));
    assertThat(logged.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(events.size());
    assertMembersAreThoseLogged();
    assertFeedsAreWhatWasSaid(events);
  }

  /** Unhurriedly, since there is a broker and a topology beside it. */
  private void write() {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", kafka, "linger.ms", 5),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (int i = 0; !enough; i++) {
        ProducerRecord<byte[], byte[]> event = event(i);
        var unused = producer.send(event);
        unused = producer.send(join());
        if (i % 10 == 0) {
          pause(5);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private ProducerRecord<byte[], byte[]> event(int i) {
    String room = "room" + random.nextInt(ROOMS);
    RoomEvent event =
        new RoomEvent(
            random.nextInt(3) == 0 ? EventKind.FETCH : EventKind.MESSAGE,
            room,
            null,
            random.nextBoolean() ? "KR" : null,
            random.nextBoolean() ? "ios" : null,
            String.valueOf(i));
    boolean marked = random.nextBoolean();
    String key = marked || random.nextBoolean() ? room : "key" + random.nextInt(100);
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            topics.roomEvents(),
            Partitions.of(key, topics.partitions()),
            key.getBytes(UTF_8),
            RoomEventJson.write(event));
    if (marked) {
      long tenth = System.currentTimeMillis() / 100 - random.nextInt(3);
      SumMark mark = new SumMark("edge" + random.nextInt(2), tenth);
      record.headers().add(SumMark.HEADER, mark.toHeader());
    }
    return record;
  }

  private ProducerRecord<byte[], byte[]> join() {
    String room = "room" + random.nextInt(ROOMS);
    Membership membership =
        new Membership(room, "user" + random.nextInt(PEOPLE), random.nextBoolean(), null, null);
    return new ProducerRecord<>(
        topics.joins(),
        Partitions.of(room, topics.partitions()),
        room.getBytes(UTF_8),
        MembershipJson.write(membership));
  }

  private static Map<Counted, Long> logged(List<ConsumerRecord<byte[], byte[]>> events)
      throws Exception {
    Map<Counted, Long> logged = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : events) {
      RoomEvent event = RoomEventJson.read(record.value());
      Header header = record.headers().lastHeader(SumMark.HEADER);
      SumMark mark =
          header == null
              ? new SumMark("room-events-" + record.partition(), record.timestamp() / 100)
              : SumMark.fromHeader(header.value());
      logged.merge(
          new Counted(
              event.roomId(),
              Objects.requireNonNull(mark).producer(),
              mark.slot(),
              event.kind(),
              event.country(),
              event.app(),
              (int) (mark.tenth() % 10)),
          1L,
          Long::sum);
    }
    return logged;
  }

  /** The greatest of what was told. */
  private Map<Counted, Long> counted() throws Exception {
    Map<Counted, Long> counted = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : all(topics.roomCounts())) {
      RoomSum sum = (RoomSum) RoomCountJson.read(new String(record.key(), UTF_8), record.value());
      assertThat(record.partition()).isEqualTo(queries.partitionOf(sum.roomId()));
      for (RoomSum.Cell cell : sum.cells()) {
        for (int tenth = 0; tenth < cell.counts().size(); tenth++) {
          if (cell.counts().get(tenth) > 0) {
            counted.merge(
                new Counted(
                    sum.roomId(),
                    sum.producer(),
                    sum.slot(),
                    cell.kind(),
                    cell.country(),
                    cell.app(),
                    tenth),
                cell.counts().get(tenth),
                Math::max);
          }
        }
      }
    }
    return counted;
  }

  private void assertMembersAreThoseLogged() throws Exception {
    Map<String, Set<String>> in = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : all(topics.joins())) {
      Membership membership = MembershipJson.read(new String(record.key(), UTF_8), record.value());
      Set<String> people = in.computeIfAbsent(membership.roomId(), room -> new HashSet<>());
      if (membership.joins()) {
        people.add(membership.userId());
      } else {
        people.remove(membership.userId());
      }
    }
    for (Map.Entry<String, Set<String>> room : in.entrySet()) {
      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(
              () ->
                  assertThat(queries.members(room.getKey()).get(10, TimeUnit.SECONDS))
                      .isEqualTo(room.getValue().size()));
    }
  }

  private void assertFeedsAreWhatWasSaid(List<ConsumerRecord<byte[], byte[]>> events)
      throws Exception {
    Map<String, List<Long>> said = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : events) {
      RoomEvent event = RoomEventJson.read(record.value());
      if (event.kind() == EventKind.MESSAGE
          && event.roomId().equals(new String(record.key(), UTF_8))) {
        said.computeIfAbsent(event.roomId(), room -> new ArrayList<>()).add(record.offset());
      }
    }
    for (Map.Entry<String, List<Long>> room : said.entrySet()) {
      List<Long> all = room.getValue();
      List<Long> kept = all.subList(Math.max(0, all.size() - 1_000), all.size());
      List<Long> read = new ArrayList<>();
      FeedPage page;
      long cursor = -1;
      do {
        page =
            queries
                .feed(room.getKey(), cursor, all.get(all.size() - 1), 300)
                .get(10, TimeUnit.SECONDS);
        page.events().stream().map(FeedEvent::cursor).forEach(read::add);
        cursor = page.cursor();
      } while (page.more());
      assertThat(read).isEqualTo(kept);
    }
  }

  private List<ConsumerRecord<byte[], byte[]>> all(String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", kafka),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          IntStream.range(0, topics.partitions())
              .mapToObj(partition -> new TopicPartition(topic, partition))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
      while (partitions.stream().anyMatch(at -> consumer.position(at) < ends.get(at))) {
        consumer.poll(Duration.ofMillis(100)).forEach(all::add);
      }
      return all;
    }
  }

  private void startTopology() throws IOException {
    topology =
        ChildJvm.start(
            "topology",
            TopologyProgram.class,
            kafka,
            String.valueOf(topics.partitions()),
            directory.resolve("state").toString(),
            "one",
            String.valueOf(queryPort),
            "true");
  }

  private static void pause(long millis) throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(millis);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
