package dev.sluice.log;

import static dev.sluice.log.KafkaFixture.bytes;
import static dev.sluice.log.KafkaFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.Command;
import dev.sluice.contract.CommandJson;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Topics;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommandLogTest {
  private static final Command ENTER = new Command.Enter("lobby", "u-1", "s-1");
  private static final CommandLog.Limits PATIENT =
      new CommandLog.Limits(Duration.ofSeconds(40), Duration.ZERO, 1_000);
  private static final CommandLog.Limits SHORT =
      new CommandLog.Limits(Duration.ofMillis(1_200), Duration.ZERO, 1_000);

  @TempDir static Path directory;
  private static KafkaFixture kafka;

  @BeforeAll
  static void start() throws Exception {
    kafka = new KafkaFixture(directory.resolve("kafka"), new Topics("log.", 4));
  }

  @AfterAll
  static void stop() {
    kafka.close();
  }

  @Test
  void aReceiptSaysWhereTheCommandStands() throws Exception {
    try (CommandLog log = open(PATIENT)) {
      Receipt receipt = log.append(2, "lobby", ENTER).join();
      Receipt tick = log.append(2, null, new Command.Tick()).join();

      assertThat(receipt.partition()).isEqualTo(2);
      assertThat(tick.offset()).isEqualTo(receipt.offset() + 1);
      ConsumerRecord<byte[], byte[]> record =
          kafka.all(kafka.topics().entries(), 2).get((int) receipt.offset());
      assertThat(text(record.key())).isEqualTo("lobby");
      assertThat(CommandJson.read("lobby", record.value())).isEqualTo(ENTER);
      assertThat(record.timestamp()).isEqualTo(receipt.at());
    }
  }

  @Test
  void aKeyBelongsWhereAnyOtherProducerSendsIt() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer(Map.of())) {
      for (int i = 0; i < 200; i++) {
        String key = "room-" + i * 7919;
        int partition =
            producer
                .send(new ProducerRecord<>(kafka.topics().outcomes(), bytes(key), bytes("{}")))
                .get()
                .partition();

        assertThat(Partitions.of(key, 4)).isEqualTo(partition);
      }
    }
  }

  @Test
  void whileTheBrokerIsAwayNothingIsSentAndItSaysSo() throws Exception {
    try (KafkaFixture own = new KafkaFixture(directory.resolve("away"), new Topics("away.", 1));
        CommandLog log = new CommandLog(own.clients(), own.topics(), SHORT)) {
      untilStored(log);

      own.stop();
      // The very first may have met a connection that was just closing.
      failure(log.append(0, "hall", ENTER));
      long began = System.nanoTime();
      LogUnavailableException away = failure(log.append(0, "lobby", ENTER));
      long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);

      assertThat(away.mayBeStored()).isFalse();
      assertThat(tookMillis).isLessThan(3_000);

      own.comeBack();
      untilStored(log);
      assertThat(own.all(own.topics().entries(), 0))
          .extracting(record -> text(record.key()))
          .doesNotContain("lobby");
    }
  }

  @Test
  void aBrokerThatStallsMayHaveStoredWhatItDidNotAnswer() throws Exception {
    Topics topics = new Topics("stalled.", 1);
    try (BrokerProcess broker = new BrokerProcess(directory.resolve("stalled"))) {
      KafkaFixture.create(broker.clients(), topics);
      try (CommandLog log = new CommandLog(broker.clients(), topics, SHORT)) {
        untilStored(log);

        broker.stall();
        LogUnavailableException unsure = failure(log.append(0, "lobby", ENTER));
        broker.goOn();

        assertThat(unsure.mayBeStored()).isTrue();
        assertThat(keysUntil(broker.clients(), topics, "lobby")).containsOnlyOnce("lobby");
      }
    }
  }

  @Test
  void aBrokerThatWasNeverThereIsGivenUpInTime() throws Exception {
    int nobodyThere;
    try (ServerSocket socket = new ServerSocket(0)) {
      nobodyThere = socket.getLocalPort();
    }
    try (CommandLog log =
        new CommandLog(
            Map.of("bootstrap.servers", "127.0.0.1:" + nobodyThere), new Topics("x.", 1), SHORT)) {
      assertThat(failure(log.append(0, "lobby", ENTER)).mayBeStored()).isFalse();
    }
  }

  @Test
  void noMoreIsOnItsWayThanAllowed() throws Exception {
    CommandLog.Limits few = new CommandLog.Limits(Duration.ofSeconds(40), Duration.ofSeconds(1), 2);
    try (CommandLog log = open(few)) {
      log.append(0, "lobby", ENTER).join();

      CompletableFuture<Receipt> first = log.append(0, "lobby", ENTER);
      CompletableFuture<Receipt> second = log.append(0, "lobby", ENTER);
      CompletableFuture<Receipt> third = log.append(0, "lobby", ENTER);

      assertThat(failure(third).mayBeStored()).isFalse();
      assertThat(first.join().offset()).isLessThan(second.join().offset());
      assertThat(log.append(0, "lobby", ENTER).join()).isNotNull();
    }
  }

  @Test
  void aPartitionThatIsNotThereIsNeverStored() {
    try (CommandLog log = open(SHORT)) {
      assertThat(failure(log.append(99, "lobby", ENTER)).mayBeStored()).isFalse();
    }
  }

  @Test
  void limitsThatCannotHoldAreRefused() {
    assertThatThrownBy(() -> new CommandLog.Limits(Duration.ofMillis(99), Duration.ZERO, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new CommandLog.Limits(Duration.ofSeconds(1), Duration.ZERO, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static CommandLog open(CommandLog.Limits limits) {
    return new CommandLog(kafka.clients(), kafka.topics(), limits);
  }

  private static LogUnavailableException failure(CompletableFuture<Receipt> append) {
    try {
      throw new AssertionError("stored: " + append.join());
    } catch (CompletionException e) {
      assertThat(e.getCause()).isInstanceOf(LogUnavailableException.class);
      return (LogUnavailableException) e.getCause();
    }
  }

  private static void untilStored(CommandLog log) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> log.append(0, "hall", ENTER).handle((stored, e) -> e == null).join());
  }

  private static List<String> keysUntil(Map<String, Object> clients, Topics topics, String last) {
    List<String> keys = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(clients, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> one = List.of(new TopicPartition(topics.entries(), 0));
      consumer.assign(one);
      consumer.seekToBeginning(one);
      Awaitility.await()
          .pollInSameThread()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                consumer.poll(Duration.ofMillis(100)).forEach(r -> keys.add(text(r.key())));
                return keys.contains(last);
              });
    }
    return keys;
  }
}
