package dev.sluice.broker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A topic of one partition as a client of the broker writes and reads it. */
final class WordsTopic {
  private static final String NAME = "words";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Map<String, Object> broker;

  WordsTopic(String bootstrapServers) {
    broker = Map.of("bootstrap.servers", bootstrapServers);
  }

  void create() throws Exception {
    try (Admin admin = Admin.create(broker)) {
      admin
          .createTopics(Set.of(new NewTopic(NAME, 1, (short) 1)))
          .all()
          .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  void write(String word) throws Exception {
    try (KafkaProducer<String, String> producer = producer(Map.of("acks", "all"))) {
      producer.send(new ProducerRecord<>(NAME, word)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  void writeInTransaction(String word) throws Exception {
    try (KafkaProducer<String, String> producer = producer(Map.of("transactional.id", "t"))) {
      producer.initTransactions();
      producer.beginTransaction();
      Future<RecordMetadata> sent = producer.send(new ProducerRecord<>(NAME, word));
      producer.commitTransaction();
      sent.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** Reads committed words as a member of a new group, from the first on. */
  List<String> read(int count) {
    Map<String, Object> settings =
        Map.of(
            "group.id", "g-" + System.nanoTime(),
            "auto.offset.reset", "earliest",
            "isolation.level", "read_committed");
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(with(settings), new StringDeserializer(), new StringDeserializer())) {
      consumer.subscribe(Set.of(NAME));
      List<String> words = new ArrayList<>();
      long giveUp = System.nanoTime() + PATIENCE.toNanos();
      while (words.size() < count && System.nanoTime() < giveUp) {
        consumer.poll(Duration.ofMillis(200)).forEach(record -> words.add(record.value()));
      }
      consumer.commitSync();
      return words;
    }
  }

  private KafkaProducer<String, String> producer(Map<String, Object> settings) {
    return new KafkaProducer<>(with(settings), new StringSerializer(), new StringSerializer());
  }

  private Map<String, Object> with(Map<String, Object> settings) {
    Map<String, Object> all = new HashMap<>(broker);
    all.putAll(settings);
    return all;
  }
}
