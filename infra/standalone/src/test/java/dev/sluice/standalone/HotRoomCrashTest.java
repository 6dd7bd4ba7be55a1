package dev.sluice.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.SumMark;
import dev.sluice.contract.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Everything in one process, killed again and again while a room is hot. */
@Tag("slow")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HotRoomCrashTest {
  private static final String ROOM = "stage";
  private static final int KILLS = 3;
  private static final int WINDOW_SECONDS = 3;
  private static final int THRESHOLD = 60;
  private static final Duration WINDOW = Duration.ofSeconds(WINDOW_SECONDS);
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX, 8);

  @TempDir Path data;
  private final Random random = new Random();
  private SluiceProcess sluice;
  private volatile RoomClient room;

  private record Counted(
      String by, long slot, EventKind kind, String country, String app, int tenth) {}

  @AfterEach
  void end() {
    if (sluice != null) {
      sluice.close();
    }
  }

  @Test
  void whatWasAcknowledgedIsCountedOnceAndFetchedInOrderAndTheRoomIsHotAgain() throws Exception {
    start();
    room.set("hot.window", "\"" + WINDOW_SECONDS + "s\"");
    room.set("hot.threshold", Integer.toString(THRESHOLD));
    room.set("hot.hold", "\"1s\"");
    room.set("room.keep-events", "100000");
    Storm storm = new Storm(() -> room);
    long endedAt;
    try {
      awaitHot(storm);
      for (int kill = 0; kill < KILLS; kill++) {
        int said = storm.said() + random.nextInt(100);
        await().atMost(Duration.ofSeconds(20)).until(() -> storm.said() >= said);
        sluice.kill();
        start();
        awaitHot(storm);
      }
    } finally {
      endedAt = System.nanoTime();
      storm.end();
    }
    assertThat(storm.faults()).isEmpty();
    assertThat(storm.fetched()).containsAllEntriesOf(storm.acknowledged());
    List<ConsumerRecord<byte[], byte[]>> events = all(TOPICS.roomEvents());
    assertThat(loggedIsWhatWasSaid(events, storm)).isEqualTo(storm.fetched());
    Map<Counted, Long> logged = logged(events);
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(counted()).isEqualTo(logged));
    assertThat(logged.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(events.size());
    assertThat(room.call("", null).body().get("members").asInt()).isEqualTo(storm.members());

    await().atMost(Duration.ofSeconds(20)).until(() -> !room.isHot());
    System.out.printf(
        "MEASURED %d acknowledged, %d more logged, %d members; cooled within %d ms of the end%n",
        storm.said(),
        events.size() - storm.said(),
        storm.members(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - endedAt));
  }

  private void start() throws InterruptedException {
    sluice = SluiceProcess.start(data, "--server.port=0", "--sluice.broker.port=0");
    room = new RoomClient(sluice.awaitReady(), ROOM);
  }

  /** Hot by what has been said since it is ready, and not by what is remembered. */
  private void awaitHot(Storm storm) {
    int before = storm.said();
    long readyAt = System.nanoTime();
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(
            () -> {
              assertThat(storm.said() - before).isGreaterThan(THRESHOLD);
              RoomClient.Answer now = room.call("", null);
              assertThat(now.status()).isEqualTo(200);
              assertThat(now.body().get("rate").asInt()).isGreaterThan(THRESHOLD);
              assertThat(now.body().get("hot").asBoolean()).isTrue();
              assertThat(room.isHot()).isTrue();
            });
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - readyAt);
    System.out.printf(
        "MEASURED hot %d ms after ready, %d events acknowledged meanwhile%n",
        millis, storm.said() - before);
    assertThat(millis).isLessThan(WINDOW.plusSeconds(1).toMillis());
  }

  /** What is in the log, by cursor, after a look that nothing else is. */
  private static Map<Long, String> loggedIsWhatWasSaid(
      List<ConsumerRecord<byte[], byte[]>> events, Storm storm) throws Exception {
    Map<Long, String> logged = new HashMap<>();
    Set<String> said = new HashSet<>();
    for (ConsumerRecord<byte[], byte[]> record : events) {
      String payload = RoomEventJson.read(record.value()).payload();
      String text = payload.substring(1, payload.length() - 1);
      assertThat(said.add(text)).as("said once: " + text).isTrue();
      logged.put(record.offset(), text);
      String acknowledged = storm.acknowledged().get(record.offset());
      if (acknowledged == null) {
        assertThat(storm.unsure()).contains(text);
      }
    }
    assertThat(logged).containsAllEntriesOf(storm.acknowledged());
    return logged;
  }

  private static Map<Counted, Long> logged(List<ConsumerRecord<byte[], byte[]>> events)
      throws Exception {
    Map<Counted, Long> logged = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : events) {
      RoomEvent event = RoomEventJson.read(record.value());
      Header header = record.headers().lastHeader(SumMark.HEADER);
      SumMark mark = SumMark.fromHeader(header.value());
      assertThat(mark).isNotNull();
      Counted counted =
          new Counted(
              mark.producer(),
              mark.slot(),
              event.kind(),
              event.country(),
              event.app(),
              (int) (mark.tenth() % RoomSum.TENTHS));
      logged.merge(counted, 1L, Long::sum);
    }
    return logged;
  }

  /** The greatest of what was told of messages, which are all that is logged here. */
  private Map<Counted, Long> counted() throws Exception {
    Map<Counted, Long> counted = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : all(TOPICS.roomCounts())) {
      RoomSum sum = (RoomSum) RoomCountJson.read(new String(record.key(), UTF_8), record.value());
      for (RoomSum.Cell cell : sum.cells()) {
        for (int tenth = 0; tenth < cell.counts().size(); tenth++) {
          if (cell.kind() == EventKind.MESSAGE && cell.counts().get(tenth) > 0) {
            counted.merge(
                new Counted(
                    sum.producer(), sum.slot(), cell.kind(), cell.country(), cell.app(), tenth),
                cell.counts().get(tenth),
                Math::max);
          }
        }
      }
    }
    return counted;
  }

  /** All of the room's partition. */
  private List<ConsumerRecord<byte[], byte[]>> all(String topic) throws InterruptedException {
    String kafka = sluice.awaitLine("  broker").strip().split("\\s+")[1];
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", kafka),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      TopicPartition one = new TopicPartition(topic, Partitions.of(ROOM, TOPICS.partitions()));
      consumer.assign(List.of(one));
      consumer.seekToBeginning(List.of(one));
      long end = consumer.endOffsets(List.of(one)).get(one);
      List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
      while (consumer.position(one) < end) {
        consumer.poll(Duration.ofMillis(100)).forEach(all::add);
      }
      return all;
    }
  }
}
