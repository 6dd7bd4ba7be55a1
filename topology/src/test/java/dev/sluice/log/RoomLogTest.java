package dev.sluice.log;

import static dev.sluice.log.KafkaFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Membership;
import dev.sluice.contract.MembershipJson;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.SumMark;
import dev.sluice.contract.Topics;
import dev.sluice.hot.edge.EdgeCounters;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RoomLogTest {
  private static final CommandLog.Limits LIMITS =
      new CommandLog.Limits(Duration.ofSeconds(40), Duration.ZERO, 1_000);

  @TempDir static Path directory;
  private static KafkaFixture kafka;

  @BeforeAll
  static void start() throws Exception {
    kafka = new KafkaFixture(directory.resolve("kafka"), new Topics("rooms.", 4));
  }

  @AfterAll
  static void stop() {
    kafka.close();
  }

  @Test
  void an_event_stands_in_its_rooms_partition_with_its_mark() throws Exception {
    RoomEvent event = new RoomEvent(EventKind.MESSAGE, "lobby", "u-1", "KR", "ios", "{\"a\":1}");
    SumMark mark = new SumMark("edge.1.log", 17_960_000_001L);
    try (RoomLog log = new RoomLog(kafka.clients(), kafka.topics(), LIMITS)) {
      Receipt receipt = log.append(event, mark).join();
      Receipt unmarked = log.append(event, null).join();

      assertThat(receipt.partition()).isEqualTo(Partitions.of("lobby", 4));
      assertThat(unmarked.offset()).isEqualTo(receipt.offset() + 1);
      ConsumerRecord<byte[], byte[]> record = record(kafka.topics().roomEvents(), receipt);
      assertThat(text(record.key())).isEqualTo("lobby");
      assertThat(RoomEventJson.read(record.value())).isEqualTo(event);
      assertThat(SumMark.fromHeader(record.headers().lastHeader(SumMark.HEADER).value()))
          .isEqualTo(mark);
      assertThat(record(kafka.topics().roomEvents(), unmarked).headers()).isEmpty();
    }
  }

  @Test
  void joins_and_leaves_stand_in_their_rooms_partition() throws Exception {
    Membership join = new Membership("lobby", "u-1", true, "KR", null);
    Membership leave = new Membership("lobby", "u-1", false, null, null);
    try (RoomLog log = new RoomLog(kafka.clients(), kafka.topics(), LIMITS)) {
      Receipt joined = log.append(join).join();
      Receipt left = log.append(leave).join();

      assertThat(joined.partition()).isEqualTo(Partitions.of("lobby", 4));
      assertThat(MembershipJson.read("lobby", record(kafka.topics().joins(), joined).value()))
          .isEqualTo(join);
      assertThat(MembershipJson.read("lobby", record(kafka.topics().joins(), left).value()))
          .isEqualTo(leave);
    }
  }

  @Test
  void an_append_to_a_log_that_is_away_fails_in_words() {
    Map<String, Object> nowhere = Map.of("bootstrap.servers", "127.0.0.1:1");
    CommandLog.Limits limits = new CommandLog.Limits(Duration.ofMillis(400), Duration.ZERO, 10);
    try (RoomLog log = new RoomLog(nowhere, kafka.topics(), limits)) {
      assertThatThrownBy(() -> log.append(new Membership("lobby", "u-1", true, null, null)).join())
          .hasCauseInstanceOf(LogUnavailableException.class)
          .cause()
          .matches(e -> !((LogUnavailableException) e).mayBeStored());
    }
  }

  @Test
  void what_an_edge_counts_is_in_the_log_soon_and_all_of_it_at_the_end() throws Exception {
    try (SumFlusher flusher = new SumFlusher(kafka.clients(), kafka.topics())) {
      EdgeCounters counters = new EdgeCounters("flushed", 100, room -> 50, flusher::wake);
      flusher.start(counters);
      for (int i = 0; i < 1_000; i++) {
        counters.count("lobby", EventKind.FETCH, "KR", "ios");
      }
      await().untilAsserted(() -> assertThat(counted(kafka, "lobby")).isEqualTo(1_000));
      counters.count("lobby", EventKind.FETCH, "KR", "ios");
      counters.count("lobby", EventKind.FETCH, "US", "ios");
    }

    assertThat(counted(kafka, "lobby")).isEqualTo(1_002);
  }

  @Test
  void sums_that_were_not_sent_are_sent_once_the_log_is_back() throws Exception {
    Topics topics = new Topics("away.", 1);
    try (KafkaFixture own = new KafkaFixture(directory.resolve("away"), topics);
        SumFlusher flusher = new SumFlusher(own.clients(), topics)) {
      EdgeCounters counters = new EdgeCounters("again", 100, room -> 1_000, flusher::wake);
      flusher.start(counters);
      counters.count("hall", EventKind.FETCH, null, null);
      await().untilAsserted(() -> assertThat(counted(own, "hall")).isEqualTo(1));

      own.stop();
      long until = System.nanoTime() + Duration.ofSeconds(4).toNanos();
      int events = 0;
      while (System.nanoTime() < until) {
        counters.count("hall", EventKind.FETCH, null, null);
        events++;
        Thread.onSpinWait();
      }
      own.comeBack();

      int all = events + 1;
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> assertThat(counted(own, "hall")).isEqualTo(all));
      assertThat(flusher.givenUp()).isZero();
    }
  }

  private static ConsumerRecord<byte[], byte[]> record(String topic, Receipt receipt) {
    return kafka.all(topic, receipt.partition()).get((int) receipt.offset());
  }

  /** The events of a room as an owner adds them up. */
  private static long counted(KafkaFixture kafka, String roomId) throws InvalidRecordException {
    Map<String, Long> counts = new HashMap<>();
    int partition = Partitions.of(roomId, kafka.topics().partitions());
    for (ConsumerRecord<byte[], byte[]> record :
        kafka.all(kafka.topics().roomCounts(), partition)) {
      RoomSum sum = (RoomSum) RoomCountJson.read(text(record.key()), record.value());
      if (sum.roomId().equals(roomId)) {
        for (RoomSum.Cell cell : sum.cells()) {
          String name = sum.producer() + sum.slot() + cell.kind() + cell.country() + cell.app();
          counts.merge(name, cell.total(), Math::max);
        }
      }
    }
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }
}
