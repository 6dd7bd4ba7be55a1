package dev.sluice.log;

import static dev.sluice.log.KafkaFixture.bytes;
import static dev.sluice.log.KafkaFixture.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.Partitions;
import dev.sluice.contract.Topics;
import dev.sluice.log.DeadLetter.Origin;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeadLettersTest {
  @TempDir static Path directory;
  private static KafkaFixture kafka;

  private Topics topics;
  private DeadLetters deadLetters;

  @BeforeAll
  static void start() throws Exception {
    kafka = new KafkaFixture(directory, new Topics("dead.", 1));
  }

  @AfterAll
  static void stop() {
    kafka.close();
  }

  @BeforeEach
  void open(TestInfo test) throws Exception {
    topics = new Topics(test.getTestMethod().orElseThrow().getName() + ".", 4);
    KafkaFixture.create(kafka.clients(), topics);
    deadLetters = new DeadLetters(kafka.clients(), topics);
  }

  @AfterEach
  void close() {
    deadLetters.close();
  }

  @Test
  void theNewestComesFirstAsItCameWithReasonAndOrigin() throws Exception {
    assertThat(deadLetters.list(10).join()).isEmpty();
    bury("lobby", "one", new Origin(topics.entries(), 3, 7, 1_000));
    bury(null, null, new Origin(topics.entries(), 2, 8, 2_000));
    bury("lobby", "three", new Origin(topics.entries(), 3, 9, 3_000));

    List<DeadLetter> letters = deadLetters.list(2).join();

    assertThat(letters).extracting(DeadLetter::id).containsExactly("0-2", "0-1");
    assertThat(letters.get(0).value()).isEqualTo("three");
    assertThat(letters.get(0).key()).isEqualTo("lobby");
    assertThat(letters.get(0).size()).isEqualTo(5);
    assertThat(letters.get(0).reason()).isEqualTo("for a test");
    assertThat(letters.get(0).origin()).isEqualTo(new Origin(topics.entries(), 3, 9, 3_000));
    assertThat(letters.get(0).redriven()).isEmpty();
    assertThat(letters.get(1).key()).isNull();
    assertThat(letters.get(1).value()).isNull();
  }

  @Test
  void oneWrittenAgainAfterAnAbortIsThereOnce() throws Exception {
    Origin origin = new Origin(topics.entries(), 3, 7, 1_000);
    try (KafkaProducer<byte[], byte[]> owner = kafka.producer(Map.of("transactional.id", "o"))) {
      owner.initTransactions();
      owner.beginTransaction();
      owner.send(letter("lobby", "one", origin)).get();
      owner.abortTransaction();
      owner.beginTransaction();
      owner.send(letter("lobby", "one", origin)).get();
      owner.commitTransaction();
    }

    assertThat(deadLetters.list(10).join()).hasSize(1);
  }

  @Test
  void aCommandIsSentAgainToThePartitionOfItsKeyAndBothEndsTell() throws Exception {
    int right = Partitions.of("lobby", 4);
    bury("lobby", "one", new Origin(topics.entries(), (right + 1) % 4, 7, 1_000));

    DeadLetter.Redriven redriven = deadLetters.redrive("0-0").join();

    assertThat(redriven.topic()).isEqualTo(topics.entries());
    assertThat(redriven.partition()).isEqualTo(right);
    ConsumerRecord<byte[], byte[]> sent =
        kafka.all(topics.entries(), right).get((int) redriven.offset());
    assertThat(text(sent.key())).isEqualTo("lobby");
    assertThat(text(sent.value())).isEqualTo("one");
    assertThat(header(sent, "trace")).isEqualTo("t-1");
    assertThat(header(sent, "sluice-dlq-redriven-from")).isEqualTo("0-0");
    assertThat(header(sent, "sluice-dlq-reason")).isNull();
    DeadLetter listed = deadLetters.list(10).join().get(0);
    assertThat(listed.id()).isEqualTo("0-0");
    assertThat(listed.redriven())
        .hasValueSatisfying(
            note -> {
              assertThat(note.partition()).isEqualTo(right);
              assertThat(note.offset()).isEqualTo(redriven.offset());
            });
  }

  @Test
  void aCommandWithoutKeyGoesBackWhereItStood() throws Exception {
    bury(null, "tick", new Origin(topics.entries(), 3, 7, 1_000));

    assertThat(deadLetters.redrive("0-0").join().partition()).isEqualTo(3);
  }

  @Test
  void oneThatFailsAgainSaysFromWhereItWasSent() throws Exception {
    bury("lobby", "one", new Origin(topics.entries(), 3, 7, 1_000));
    DeadLetter.Redriven redriven = deadLetters.redrive("0-0").join();
    ConsumerRecord<byte[], byte[]> sent =
        kafka.all(topics.entries(), redriven.partition()).get((int) redriven.offset());

    Headers again =
        DeadLetter.headers(
            sent.headers(),
            sent.value(),
            "still bad",
            new Origin(topics.entries(), sent.partition(), sent.offset(), 2_000));

    assertThat(DeadLetter.text(again, DeadLetter.REDRIVEN_FROM)).isEqualTo("0-0");
    assertThat(DeadLetter.text(again, DeadLetter.REASON)).isEqualTo("still bad");
    assertThat(again.headers(DeadLetter.REASON)).hasSize(1);
  }

  @Test
  void oneOfTwoMegabytesIsKeptInPartAndNotSentAgain() throws Exception {
    String large = "x".repeat(2_000_000);
    bury("lobby", large, new Origin(topics.entries(), 3, 7, 1_000));

    DeadLetter letter = deadLetters.list(10).join().get(0);

    assertThat(letter.size()).isEqualTo(2_000_000);
    assertThat(letter.value()).hasSize(4_096);
    assertThatThrownBy(() -> deadLetters.redrive("0-0").join())
        .hasCause(new IllegalStateException("0-0 was too large to keep whole"));
  }

  @Test
  void whatIsNotThereOrHasNoWayBackIsRefusedInWords() throws Exception {
    bury("lobby", "one", new Origin("payments", 0, 7, 1_000));
    kafka.write(topics.deadLetters(), "lobby", "thrown in by hand");

    assertThat(deadLetters.list(10).join().get(0).reason()).isEqualTo("no reason given");
    assertRefused("0-0", "Records of payments can't be sent again");
    assertRefused("0-1", "It isn't known where 0-1 came from");
    for (String id : List.of("0-2", "7-0", "-", "", "a-b", "0--1", "0-99999999999999999999")) {
      assertThat(failure(deadLetters.redrive(id)))
          .isInstanceOf(NoSuchElementException.class)
          .hasMessageContaining("There is no dead letter");
    }
  }

  @Test
  void withoutABrokerItSaysSo() throws Exception {
    try (DeadLetters nowhere =
        new DeadLetters(Map.of("bootstrap.servers", "127.0.0.1:1"), topics)) {
      assertThat(failure(nowhere.list(10))).isInstanceOf(LogUnavailableException.class);
    }
  }

  private void assertRefused(String id, String words) {
    assertThat(failure(deadLetters.redrive(id)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(words);
  }

  private static Throwable failure(CompletableFuture<?> future) {
    try {
      throw new AssertionError("succeeded: " + future.join());
    } catch (CompletionException e) {
      return e.getCause();
    }
  }

  private void bury(String key, String value, Origin origin) throws Exception {
    kafka.write(letter(key, value, origin));
  }

  private ProducerRecord<byte[], byte[]> letter(String key, String value, Origin origin) {
    Headers asItCame = new RecordHeaders().add("trace", bytes("t-1"));
    return new ProducerRecord<>(
        topics.deadLetters(),
        0,
        bytes(key),
        DeadLetter.kept(bytes(value)),
        DeadLetter.headers(asItCame, bytes(value), "for a test", origin));
  }

  private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
    return DeadLetter.text(record.headers(), name);
  }
}
