package dev.sluice.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.broker.BrokerConfig;
import dev.sluice.broker.EmbeddedBroker;
import dev.sluice.contract.Topics;
import dev.sluice.contract.Topics.Cleanup;
import dev.sluice.contract.Topics.TopicSpec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A broker with the topics of an installation, which can be stopped and come back. */
public final class KafkaFixture implements AutoCloseable {
  private final Path directory;
  private final Topics topics;
  private final int port;
  private EmbeddedBroker broker;

  public KafkaFixture(Path directory, Topics topics) throws Exception {
    this.directory = directory;
    this.topics = topics;
    this.broker = EmbeddedBroker.start(BrokerConfig.local(directory));
    this.port = broker.port();
    create(clients(), topics);
  }

  /** Makes the topics on any broker. */
  public static void create(Map<String, Object> clients, Topics topics) throws Exception {
    try (Admin admin = Admin.create(clients)) {
      admin.createTopics(topics.specs().stream().map(KafkaFixture::topic).toList()).all().get();
    }
  }

  private static NewTopic topic(TopicSpec spec) {
    Map<String, String> configs = new HashMap<>();
    configs.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
    if (spec.cleanup() == Cleanup.COMPACT) {
      configs.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT);
    }
    return new NewTopic(spec.name(), spec.partitions(), (short) 1).configs(configs);
  }

  public Topics topics() {
    return topics;
  }

  public Map<String, Object> clients() {
    return Map.of("bootstrap.servers", "127.0.0.1:" + port);
  }

  public void stop() {
    broker.close();
  }

  public void comeBack() {
    broker = EmbeddedBroker.start(BrokerConfig.local(directory, port));
  }

  /** A plain producer, as any other program would have. */
  public KafkaProducer<byte[], byte[]> producer(Map<String, Object> more) {
    Map<String, Object> settings = new HashMap<>(clients());
    settings.put("linger.ms", 0);
    settings.putAll(more);
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /** Writes one record and waits for it. */
  public RecordMetadata write(ProducerRecord<byte[], byte[]> record) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = producer(Map.of())) {
      Future<RecordMetadata> sent = producer.send(record);
      return sent.get();
    }
  }

  public RecordMetadata write(String topic, String key, String value) throws Exception {
    return write(new ProducerRecord<>(topic, 0, bytes(key), bytes(value)));
  }

  /** Everything in a partition, uncommitted records included. */
  public List<ConsumerRecord<byte[], byte[]>> all(String topic, int partition) {
    List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(clients(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      TopicPartition one = new TopicPartition(topic, partition);
      consumer.assign(List.of(one));
      consumer.seekToBeginning(List.of(one));
      long end = consumer.endOffsets(List.of(one)).get(one);
      while (consumer.position(one) < end) {
        consumer.poll(Duration.ofMillis(100)).forEach(all::add);
      }
    }
    return all;
  }

  public static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(UTF_8);
  }

  public static String text(byte[] bytes) {
    return bytes == null ? null : new String(bytes, UTF_8);
  }

  @Override
  public void close() {
    broker.close();
  }
}
