package dev.sluice.kinesis.clients;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.OutcomeJson;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Version;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** What Sluice would decide of {@link Numbered} commands: the number is the ticket. */
final class Outcomes {
  static final String STREAM = "outcomes";

  private static final String SESSION = Endpoints.SESSIONS.issue().hash();
  private static final int IN_TRANSACTION = 5;

  /** The number of what mustn't be seen. */
  private static final int ABORTED = 1_000_000;

  private Outcomes() {}

  /** In transactions, of which one is aborted after each that isn't. */
  static void write() {
    Map<String, Object> settings = new HashMap<>(Endpoints.kafka());
    settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "outcomes");
    // None overtakes the first of a transaction, of which the broker would complain.
    settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.initTransactions();
      for (int from = 0; from < Numbered.EACH; from += IN_TRANSACTION) {
        producer.beginTransaction();
        Numbered.range(Numbered.KEYS, from, from + IN_TRANSACTION)
            .forEach(one -> send(producer, one.key(), one.number()));
        producer.commitTransaction();
        producer.beginTransaction();
        send(producer, "key-" + from, ABORTED);
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
            SESSION,
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

  static Numbered numbered(String room, String data) {
    try {
      Outcome outcome = OutcomeJson.read(room, data.getBytes(UTF_8));
      return new Numbered(room, (int) ((Outcome.PersonChanged) outcome).ticket());
    } catch (InvalidRecordException e) {
      throw new IllegalArgumentException(data, e);
    }
  }
}
