package dev.sluice.settings;

import dev.sluice.contract.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Kafka Streams application that judges what is written to {@code config}: what it accepts goes
 * to {@code settings}, every attempt to {@code config-history}. Each instance may run one; one of
 * them judges. Started and closed once.
 */
public final class SettingsGate implements AutoCloseable {
  /** Its {@code application.id} unless another prefix is asked for. */
  public static final String APPLICATION = "sluice-settings";

  private static final Logger LOG = LoggerFactory.getLogger(SettingsGate.class);

  private final KafkaStreams streams;

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param instanceId names this instance among all, the same after a restart
   * @param stateDirectory for what Kafka Streams keeps of the instance
   */
  public SettingsGate(
      Map<String, Object> kafka,
      Topics topics,
      String applicationId,
      String instanceId,
      Path stateDirectory) {
    this.streams =
        new KafkaStreams(
            GateTopology.of(topics), settings(kafka, applicationId, instanceId, stateDirectory));
    streams.setUncaughtExceptionHandler(
        e -> {
          LOG.error("The settings gate goes on with a new thread after a failure", e);
          return StreamThreadExceptionResponse.REPLACE_THREAD;
        });
  }

  private static Properties settings(
      Map<String, Object> kafka, String applicationId, String instanceId, Path stateDirectory) {
    Properties settings = new Properties();
    settings.putAll(kafka);
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, applicationId);
    settings.put(StreamsConfig.STATE_DIR_CONFIG, stateDirectory.toString());
    settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
    settings.put(StreamsConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    // Readers wait for no commit, but a start waits until what was written has been committed.
    settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 50);
    settings.put(StreamsConfig.POLL_MS_CONFIG, 50);
    settings.put(StreamsConfig.producerPrefix(ProducerConfig.LINGER_MS_CONFIG), 0);
    settings.put(StreamsConfig.producerPrefix(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG), 10_000);
    // A dead instance is given up after 6 s; one that returns within is known again at once.
    settings.put(
        StreamsConfig.mainConsumerPrefix(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG), instanceId);
    settings.put(StreamsConfig.mainConsumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), 6_000);
    settings.put(
        StreamsConfig.mainConsumerPrefix(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG), 1_500);
    return settings;
  }

  /** Starts it and returns at once; the topics must exist. */
  public void start() {
    streams.start();
  }

  /** Whether it is running; with more than one instance, whether here or at another. */
  public boolean isRunning() {
    return streams.state() == KafkaStreams.State.RUNNING;
  }

  /** Stops it and leaves the group, within {@code atMost}. */
  public void close(Duration atMost) {
    boolean closed =
        streams.close(
            CloseOptions.timeout(atMost)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    if (!closed) {
      LOG.warn("The settings gate didn't stop within {}", atMost);
    }
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(5));
  }
}
