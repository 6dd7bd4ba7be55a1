package dev.sluice.runtime;

import dev.sluice.query.Address;
import dev.sluice.streams.BoundedRocksDb;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.StreamsConfig;

/** The settings of Kafka Streams for the two applications, each with its reason. */
final class StreamsSettings {
  private StreamsSettings() {}

  /**
   * Of the admission application.
   *
   * @param address where other processes reach this one, or null
   */
  static Properties ofAdmission(TopologyConfig config, Address address) {
    Properties p = ofBoth(config, config.admissionApplication(), address);
    // State, outcomes and offsets move together or not at all.
    p.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    p.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, config.commitInterval().toMillis());
    // Without them a kill wipes the stores, and all is restored from Kafka.
    p.put(StreamsConfig.TRANSACTIONAL_STATE_STORES_CONFIG, config.transactionalStores());
    // The first batch after a commit comes too early for the broker more often than not.
    p.put(StreamsConfig.producerPrefix(ProducerConfig.RETRY_BACKOFF_MS_CONFIG), 5L);
    return p;
  }

  /**
   * Of the rooms application.
   *
   * @param address where other processes reach this one, or null
   */
  static Properties ofRooms(TopologyConfig config, Address address) {
    Properties p = ofBoth(config, config.roomsApplication(), address);
    // Every step may be done again. Without transactions no reader of sums waits for a commit, and
    // none that is abandoned can hold a partition up.
    p.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.AT_LEAST_ONCE);
    // How much is read again after a kill, and how late a marked event is summed at most.
    p.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 500L);
    // Events and joins needn't be in order with each other, so neither waits for the other.
    p.put(StreamsConfig.MAX_TASK_IDLE_MS_CONFIG, -1L);
    return p;
  }

  private static Properties ofBoth(TopologyConfig config, String application, Address address) {
    Properties p = new Properties();
    p.putAll(config.kafka());
    p.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
    p.put(StreamsConfig.STATE_DIR_CONFIG, config.stateDirectory().toString());
    p.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, config.threads());
    p.put(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, config.standbys());
    p.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, (int) config.replication());
    if (address != null) {
      p.put(StreamsConfig.APPLICATION_SERVER_CONFIG, address.toString());
    }

    // An idle thread commits, and flushes sums, only after it has polled for so long.
    p.put(StreamsConfig.POLL_MS_CONFIG, 10);
    // The heap holds the state between commits; a record cache would only copy it.
    p.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0L);
    p.put(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, BoundedRocksDb.class);
    // Enough to work on while the next fetch is on its way.
    p.put(StreamsConfig.BUFFERED_RECORDS_PER_PARTITION_CONFIG, 10_000);

    // The newer protocol of 4.x answers metadata queries wrongly with several threads.
    p.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, "classic");
    // A restart takes its old place back, without waiting for the old session to end.
    p.put(
        StreamsConfig.consumerPrefix(CommonClientConfigs.GROUP_INSTANCE_ID_CONFIG),
        config.instanceId());
    // How long others wait for one that was killed.
    p.put(StreamsConfig.consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), 6_000);
    p.put(StreamsConfig.consumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), 2_000);
    p.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.MAX_POLL_RECORDS_CONFIG), 5_000);
    // Found again soon when Kafka was away.
    p.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
    p.put(StreamsConfig.RETRY_BACKOFF_MS_CONFIG, 50L);

    // People are told of outcomes, and sums decide what is hot: neither waits for company.
    p.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 0);
    p.put(StreamsConfig.producerPrefix(ProducerConfig.BATCH_SIZE_CONFIG), 256 * 1024);
    return p;
  }
}
