package dev.sluice.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.contract.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RoomEventFeedTest {
  private static final int PARTITIONS = 2;

  @TempDir Path directory;
  private final List<String> told = new CopyOnWriteArrayList<>();
  private KafkaFixture kafka;

  @BeforeEach
  void start() throws Exception {
    kafka = new KafkaFixture(directory, new Topics("feed.", PARTITIONS));
  }

  @AfterEach
  void stop() {
    kafka.close();
  }

  @Test
  void tellsTheMessagesOfWantedRoomsFromNowOn() throws Exception {
    say("lobby", message("lobby"));
    try (RoomEventFeed feed = open()) {
      say("lobby", new RoomEvent(EventKind.FETCH, "lobby", null, null, null, null));
      say("unwanted", message("unwanted"));
      long first = say("lobby", message("lobby"));
      long second = say("lobby", message("lobby"));
      long other = say("hall", message("hall"));

      await().atMost(Duration.ofSeconds(40)).until(() -> told.size() >= 3);
      assertThat(told)
          .containsExactlyInAnyOrder("lobby@" + first, "lobby@" + second, "hall@" + other)
          .containsSubsequence("lobby@" + first, "lobby@" + second);
    }
  }

  @Test
  void passesOverWhatCannotBeFetched() throws Exception {
    try (RoomEventFeed feed = open()) {
      int own = Partitions.of("lobby", PARTITIONS);
      write(1 - own, "lobby", RoomEventJson.write(message("lobby")));
      write(own, "lobby", RoomEventJson.write(message("hall")));
      write(own, null, RoomEventJson.write(message("lobby")));
      write(own, "lobby", KafkaFixture.bytes("hello"));
      write(own, "lobby", null);
      long last = say("lobby", message("lobby"));

      await().atMost(Duration.ofSeconds(40)).until(() -> !told.isEmpty());
      assertThat(told).containsExactly("lobby@" + last);
    }
  }

  @Test
  void goesOnAfterAListenerThatFailsAndWhenTheBrokerReturns() throws Exception {
    try (RoomEventFeed feed =
        new RoomEventFeed(
            kafka.clients(),
            kafka.topics(),
            room -> true,
            (room, cursor) -> {
              told.add(room);
              throw new IllegalStateException("on purpose");
            })) {
      feed.start();
      feed.ready().get(60, TimeUnit.SECONDS);
      say("lobby", message("lobby"));
      await().atMost(Duration.ofSeconds(40)).until(() -> told.size() == 1);

      kafka.stop();
      kafka.comeBack();
      say("lobby", message("lobby"));

      await().atMost(Duration.ofSeconds(40)).until(() -> told.size() == 2);
    }
  }

  @Test
  void saysWhatItHasReadAlsoOfRoomsThatNobodyWants() throws Exception {
    Map<Integer, Long> read = new ConcurrentHashMap<>();
    try (RoomEventFeed feed =
        new RoomEventFeed(
            kafka.clients(),
            kafka.topics(),
            room -> false,
            new RoomEventFeed.Listener() {
              @Override
              public void reads(int partition, long offset) {
                read.put(partition, offset);
              }

              @Override
              public void said(String roomId, long cursor) {
                told.add(roomId);
              }
            })) {
      feed.start();
      feed.ready().get(60, TimeUnit.SECONDS);
      long last = say("lobby", message("lobby"));

      await()
          .atMost(Duration.ofSeconds(40))
          .until(
              () -> read.get(Partitions.of("lobby", PARTITIONS)),
              newest -> newest != null && newest == last);
      assertThat(told).isEmpty();
    }
  }

  private RoomEventFeed open() throws Exception {
    RoomEventFeed feed =
        new RoomEventFeed(
            kafka.clients(),
            kafka.topics(),
            room -> !room.equals("unwanted"),
            (room, cursor) -> told.add(room + "@" + cursor));
    feed.start();
    feed.ready().get(60, TimeUnit.SECONDS);
    return feed;
  }

  private static RoomEvent message(String roomId) {
    return new RoomEvent(EventKind.MESSAGE, roomId, "u", "KR", "ios", "\"hello\"");
  }

  private long say(String room, RoomEvent event) throws Exception {
    return write(Partitions.of(room, PARTITIONS), room, RoomEventJson.write(event));
  }

  private long write(int partition, String key, byte[] value) throws Exception {
    return kafka
        .write(
            new ProducerRecord<>(
                kafka.topics().roomEvents(), partition, KafkaFixture.bytes(key), value))
        .offset();
  }
}
