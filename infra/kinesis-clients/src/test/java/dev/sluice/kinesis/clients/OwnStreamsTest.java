package dev.sluice.kinesis.clients;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.contract.Command;
import dev.sluice.contract.CommandJson;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.OutcomeJson;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Version;
import dev.sluice.identity.Session;
import dev.sluice.kinesis.KinesisEndpoint;
import dev.sluice.kinesis.http.HttpSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** Sluice's own streams, for applications that put by KPL and consume by KCL. */
@Tag("slow")
@Timeout(180)
class OwnStreamsTest {
  private static final int ROOMS = 1_000;
  private static final int EACH = 5;

  /** Rooms more, whose commands have no others to be packed with. */
  private static final int ALONE = 4;

  /** The number of what mustn't be seen. */
  private static final int ABORTED = 1_000_000;

  private static final Session SESSION = Endpoints.SESSIONS.issue();

  @TempDir Path directory;

  @Test
  void whatKplPutsIsStoredOnceAndWhereItsRoomIs() throws Exception {
    HttpSettings.Tls tls = Certificate.make(directory);
    try (KinesisEndpoint secure = Endpoints.start(HttpSettings.local(0).withTls(tls))) {
      try (Kpl kpl = new Kpl(secure.port(), tls.certificate(), "entries")) {
        List<CompletableFuture<Void>> packed =
            IntStream.range(0, ROOMS).mapToObj(room -> enter(kpl, "key-" + room)).toList();
        packed.forEach(CompletableFuture::join);
        for (int room = ROOMS; room < ROOMS + ALONE; room++) {
          enter(kpl, "key-" + room).join();
        }
      }
    }

    List<Numbered> stored = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> record : read(Endpoints.TOPICS.entries())) {
      String room = new String(record.key(), UTF_8);
      assertThat(record.partition()).isEqualTo(Partitions.of(room, Endpoints.TOPICS.partitions()));
      Command.Enter enter = (Command.Enter) CommandJson.read(room, record.value());
      assertThat(enter.session()).isEqualTo(SESSION.hash());
      stored.add(Numbered.of(room, enter.requestId()));
    }
    Numbered.assertAllInOrder(stored, ROOMS + ALONE, EACH);
  }

  private static CompletableFuture<Void> enter(Kpl kpl, String room) {
    return kpl.putInOrder(
        room,
        EACH,
        number ->
            "{\"type\":\"ENTER\",\"v\":1,\"roomId\":\"%s\",\"requestId\":\"%d\",\"session\":\"%s\"}"
                .formatted(room, number, SESSION.token()));
  }

  private static List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Endpoints.kafka(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(info -> new TopicPartition(topic, info.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
      while (partitions.stream().anyMatch(one -> consumer.position(one) < ends.get(one))) {
        consumer.poll(Duration.ofMillis(100)).forEach(all::add);
      }
      return all;
    }
  }

  @Test
  @EnabledIf(value = Node.IS_THERE, disabledReason = Node.ABSENT)
  void kclProcessesWhatIsCommittedOfOutcomes() throws Exception {
    Node.install();
    try (KinesisClient client = Endpoints.client();
        LeaseTables tables = new LeaseTables();
        KclApplication application =
            new KclApplication(
                "3",
                "fan-out",
                "outcomes",
                OwnStreamsTest::numbered,
                Endpoints.port(),
                tables.port())) {
      await().until(() -> client.listStreams().streamNames().contains("outcomes"));
      tables.create(application.name());
      application.startWorker();
      write();

      await()
          .atMost(Duration.ofMinutes(2))
          .pollInterval(Duration.ofMillis(200))
          .until(() -> Numbered.ofEach(application.processed()) >= Numbered.EACH);
      Numbered.assertAllInOrder(application.processed(), Numbered.KEYS, Numbered.EACH);
    }
  }

  /** In transactions, of which one is aborted after each that isn't. */
  private static void write() {
    Map<String, Object> settings = new HashMap<>(Endpoints.kafka());
    settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "outcomes");
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.initTransactions();
      for (int number = 0; number < Numbered.EACH; number++) {
        producer.beginTransaction();
        for (int room = 0; room < Numbered.KEYS; room++) {
          send(producer, "key-" + room, number);
        }
        producer.commitTransaction();
        producer.beginTransaction();
        send(producer, "key-" + number, ABORTED);
        producer.flush();
        producer.abortTransaction();
      }
    }
  }

  /** The transaction's end waits for it. */
  private static void send(KafkaProducer<byte[], byte[]> producer, String room, int number) {
    int partition = Partitions.of(room, Endpoints.TOPICS.partitions());
    Outcome outcome =
        new Outcome.PersonChanged(
            room,
            "u-" + number,
            SESSION.hash(),
            PersonStatus.WAITING,
            number,
            /* expiresAt= */ 0,
            /* reason= */ null,
            new Receipt(partition, number, 1_000),
            new Version(partition, number, 0),
            1_000);
    var unused =
        producer.send(
            new ProducerRecord<>(
                Endpoints.TOPICS.outcomes(),
                partition,
                room.getBytes(UTF_8),
                OutcomeJson.write(outcome)));
  }

  private static Numbered numbered(String room, String data) {
    try {
      Outcome outcome = OutcomeJson.read(room, data.getBytes(UTF_8));
      return new Numbered(room, (int) ((Outcome.PersonChanged) outcome).ticket());
    } catch (InvalidRecordException e) {
      throw new IllegalArgumentException(data, e);
    }
  }
}
