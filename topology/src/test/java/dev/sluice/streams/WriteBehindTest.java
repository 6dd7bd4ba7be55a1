package dev.sluice.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.broker.BrokerConfig;
import dev.sluice.broker.EmbeddedBroker;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What this program takes for granted about Kafka Streams: a cached store hears of each commit just
 * before it, and what is put into other stores then is committed with the input's offset.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WriteBehindTest {
  private static final Duration AT_MOST = Duration.ofSeconds(60);
  private static final String STORE = "seen";
  private static final Bytes LAST = Bytes.wrap(new byte[] {1});

  private static EmbeddedBroker broker;
  private static Map<String, Object> kafka;

  @TempDir private Path directory;

  @BeforeAll
  static void start(@TempDir Path directory) {
    broker = EmbeddedBroker.start(BrokerConfig.local(directory));
    kafka = Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsPutBeforeACommitIsCommittedWithTheOffsetOfTheInput(boolean transactionalStores)
      throws Exception {
    String name = "write-behind-" + transactionalStores;
    TopicPartition input = new TopicPartition(name, 0);
    try (Admin admin = Admin.create(kafka);
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(kafka, new ByteArraySerializer(), new ByteArraySerializer())) {
      admin.createTopics(List.of(new NewTopic(name, 1, (short) 1))).all().get(30, TimeUnit.SECONDS);
      KafkaStreams streams = new KafkaStreams(topology(name), settings(name, transactionalStores));
      try {
        streams.start();
        for (int wave = 1; wave <= 3; wave++) {
          for (int i = 0; i < 100; i++) {
            var unused = producer.send(new ProducerRecord<>(name, 0, null, new byte[] {1}));
          }
          producer.flush();
          long end = wave * 100L;
          await().atMost(AT_MOST).until(() -> committed(admin, name, input) == end);
        }
      } finally {
        streams.close(
            CloseOptions.timeout(AT_MOST)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
      }
    }

    List<Long> kept = changelog(name + "-" + STORE + "-changelog");
    assertThat(kept).isSorted().doesNotHaveDuplicates().endsWith(299L);
    assertThat(kept.size()).as("once a commit, not once a record").isLessThan(300);
  }

  private static long committed(Admin admin, String group, TopicPartition input) throws Exception {
    OffsetAndMetadata committed =
        admin
            .listConsumerGroupOffsets(group)
            .partitionsToOffsetAndMetadata()
            .get(10, TimeUnit.SECONDS)
            .get(input);
    return committed == null ? -1 : committed.offset();
  }

  /** The offsets in a changelog that were committed. */
  private static List<Long> changelog(String topic) {
    Map<String, Object> committedOnly =
        Map.of(
            "bootstrap.servers",
            kafka.get("bootstrap.servers"),
            "isolation.level",
            "read_committed");
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            committedOnly, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      TopicPartition all = new TopicPartition(topic, 0);
      consumer.assign(List.of(all));
      consumer.seekToBeginning(List.of(all));
      long end = consumer.endOffsets(List.of(all)).get(all);
      List<Long> kept = new ArrayList<>();
      while (consumer.position(all) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          kept.add(new BinaryReader(record.value()).getLong());
        }
      }
      return kept;
    }
  }

  private Properties settings(String name, boolean transactionalStores) {
    Properties settings = new Properties();
    settings.putAll(kafka);
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, name);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.toString());
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG, transactionalStores);
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 50);
    settings.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
    return settings;
  }

  private static Topology topology(String input) {
    return new Topology()
        .addSource("source", new ByteArrayDeserializer(), new ByteArrayDeserializer(), input)
        .addProcessor("remember", new Remembering(), "source");
  }

  private static final class Remembering implements ProcessorSupplier<byte[], byte[], Void, Void> {
    @Override
    public Processor<byte[], byte[], Void, Void> get() {
      return new LastOffset();
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
      return Set.of(
          Stores.keyValueStoreBuilder(
                  Stores.persistentKeyValueStore(STORE), Serdes.Bytes(), Serdes.ByteArray())
              .withCachingDisabled(),
          new WriteBehind.Builder("hook"));
    }
  }

  /** Keeps the last offset in the heap, and in the store when a commit comes. */
  private static final class LastOffset implements Processor<byte[], byte[], Void, Void> {
    private final BinaryWriter writer = new BinaryWriter();
    private ProcessorContext<Void, Void> context;
    private long last = -1;

    @Override
    public void init(ProcessorContext<Void, Void> context) {
      this.context = context;
      KeyValueStore<Bytes, byte[]> store = context.getStateStore(STORE);
      WriteBehind hook = context.getStateStore("hook");
      hook.beforeCommit(() -> store.put(LAST, writer.begin().put(last).end()));
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
      last = context.recordMetadata().orElseThrow().offset();
    }
  }
}
