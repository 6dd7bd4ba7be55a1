package dev.sluice.log;

import static dev.sluice.log.KafkaFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.Outcome;
import dev.sluice.contract.OutcomeJson;
import dev.sluice.contract.RoomState;
import dev.sluice.contract.Topics;
import dev.sluice.contract.Version;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OutcomeFeedTest {
  @TempDir Path directory;
  private final List<Outcome> told = new CopyOnWriteArrayList<>();
  private KafkaFixture kafka;

  @BeforeEach
  void start() throws Exception {
    kafka = new KafkaFixture(directory, new Topics("feed.", 2));
  }

  @AfterEach
  void stop() {
    kafka.close();
  }

  @Test
  void tellsWhatHappensFromNowOnInAllPartitions() throws Exception {
    write(outcome(0, 1, 0));
    try (OutcomeFeed feed = open()) {
      write(outcome(0, 2, 0));
      write(outcome(1, 7, 0));
      write(outcome(0, 2, 1));

      untilTold(3);
      assertThat(told)
          .containsExactlyInAnyOrder(outcome(0, 2, 0), outcome(0, 2, 1), outcome(1, 7, 0))
          .containsSubsequence(outcome(0, 2, 0), outcome(0, 2, 1));
    }
  }

  @Test
  void waitsForNoCommitAndTellsWhatIsWrittenAgainOnce() throws Exception {
    try (OutcomeFeed feed = open();
        KafkaProducer<byte[], byte[]> owner = kafka.producer(Map.of("transactional.id", "owner"))) {
      owner.initTransactions();
      owner.beginTransaction();
      owner.send(record(outcome(0, 5, 0))).get();
      owner.send(record(outcome(0, 5, 1))).get();
      untilTold(2);

      owner.abortTransaction();
      owner.beginTransaction();
      owner.send(record(outcome(0, 5, 0))).get();
      owner.send(record(outcome(0, 5, 1))).get();
      owner.send(record(outcome(0, 6, 0))).get();
      owner.commitTransaction();

      untilTold(3);
      assertThat(told).containsExactly(outcome(0, 5, 0), outcome(0, 5, 1), outcome(0, 6, 0));
    }
  }

  @Test
  void goesOnAfterWhatIsNoOutcomeAndAfterAListenerThatFails() throws Exception {
    try (OutcomeFeed feed =
        new OutcomeFeed(
            kafka.clients(),
            kafka.topics(),
            outcome -> {
              told.add(outcome);
              throw new IllegalStateException("on purpose");
            })) {
      feed.start();
      feed.ready().join();
      write(outcome(0, 1, 0));
      kafka.write(kafka.topics().outcomes(), "lobby", "hello");
      kafka.write(kafka.topics().outcomes(), null, null);
      write(outcome(0, 2, 0));

      untilTold(2);
    }
  }

  @Test
  void goesOnWhereItStoodWhenTheBrokerReturns() throws Exception {
    try (OutcomeFeed feed = open()) {
      write(outcome(0, 1, 0));
      untilTold(1);

      kafka.stop();
      kafka.comeBack();
      write(outcome(0, 2, 0));

      untilTold(2);
      assertThat(told).containsExactly(outcome(0, 1, 0), outcome(0, 2, 0));
    }
  }

  @Test
  void waitsForABrokerThatIsNotThereYet() throws Exception {
    kafka.stop();
    try (OutcomeFeed feed = new OutcomeFeed(kafka.clients(), kafka.topics(), told::add)) {
      feed.start();
      kafka.comeBack();
      feed.ready().get(60, TimeUnit.SECONDS);
      write(outcome(0, 1, 0));

      untilTold(1);
    }
  }

  @Test
  void closesPromptlyWithoutABroker() {
    kafka.stop();
    OutcomeFeed feed = new OutcomeFeed(kafka.clients(), kafka.topics(), told::add);
    feed.start();

    long began = System.nanoTime();
    feed.close();

    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
  }

  private OutcomeFeed open() throws Exception {
    OutcomeFeed feed = new OutcomeFeed(kafka.clients(), kafka.topics(), told::add);
    feed.start();
    feed.ready().get(60, TimeUnit.SECONDS);
    return feed;
  }

  private void untilTold(int count) {
    Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> told.size() >= count);
  }

  private void write(Outcome outcome) throws Exception {
    kafka.write(record(outcome));
  }

  private ProducerRecord<byte[], byte[]> record(Outcome outcome) {
    return new ProducerRecord<>(
        kafka.topics().outcomes(),
        outcome.version().partition(),
        bytes(outcome.roomId()),
        OutcomeJson.write(outcome));
  }

  private static Outcome outcome(int partition, long offset, int index) {
    return new Outcome.Progress(
        "lobby", 3, 2, 1, RoomState.OPEN, new Version(partition, offset, index), 1_000);
  }
}
