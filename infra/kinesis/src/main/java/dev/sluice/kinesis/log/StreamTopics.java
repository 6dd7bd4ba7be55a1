package dev.sluice.kinesis.log;

import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.StreamState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The topics behind streams. Each step may be made again, by several instances at once; all block
 * and are given up after some seconds.
 */
final class StreamTopics {
  /** What a record takes beyond its key and data, in a batch of its own. */
  private static final int OVERHEAD_BYTES = 4_096;

  private static final long HOUR = 3_600_000;

  private final Admin admin;
  private final String prefix;
  private final short replication;

  /**
   * @param prefix of every topic
   * @param replication copies of each topic; -1 for the broker's default
   */
  StreamTopics(Admin admin, String prefix, short replication) {
    this.admin = admin;
    this.prefix = prefix;
    this.replication = replication;
  }

  static String name(String prefix, StreamState stream) {
    return stream.isOfOthers() ? stream.topic() : prefix + "kinesis." + stream.name();
  }

  private String name(StreamState stream) {
    return name(prefix, stream);
  }

  /**
   * A topic as it is.
   *
   * @param retentionHours at least 1, at most {@link StreamState#MAX_RETENTION}, also if longer
   */
  record Facts(int partitions, int retentionHours) {}

  /** What a topic of others is like; empty if it isn't there. */
  Optional<Facts> look(String topic) throws ExecutionException, InterruptedException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try {
      int partitions =
          admin
              .describeTopics(List.of(topic))
              .topicNameValues()
              .get(topic)
              .get()
              .partitions()
              .size();
      Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
      return Optional.of(new Facts(partitions, retentionHours(config)));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof UnknownTopicOrPartitionException) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static int retentionHours(Config config) {
    long millis = Long.parseLong(config.get(TopicConfig.RETENTION_MS_CONFIG).value());
    boolean deletes =
        config
            .get(TopicConfig.CLEANUP_POLICY_CONFIG)
            .value()
            .contains(TopicConfig.CLEANUP_POLICY_DELETE);
    return deletes && millis >= 0
        ? (int) Math.max(1, Math.min(millis / HOUR, StreamState.MAX_RETENTION))
        : StreamState.MAX_RETENTION;
  }

  /**
   * Whether the topic of a stream to be could be created.
   *
   * @return fails with {@link KinesisException} if not
   */
  CompletableFuture<Void> check(StreamState stream) {
    return admin
        .createTopics(List.of(topic(stream)), new CreateTopicsOptions().validateOnly(true))
        .all()
        .toCompletionStage()
        .toCompletableFuture()
        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(refusal(stream, failure)));
  }

  private KinesisException refusal(StreamState stream, Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    if (cause instanceof TopicExistsException) {
      return new KinesisException(
          ErrorType.RESOURCE_IN_USE,
          "Topic %s of stream %s exists.".formatted(name(stream), stream.name()));
    }
    if (isForGood(cause)) {
      return new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Kafka can't have a topic %s: %s".formatted(name(stream), cause.getMessage()));
    }
    return KinesisException.unavailable("Kafka can't be asked for a topic.");
  }

  /** Whether a topic that was refused so will be refused again. */
  static boolean isForGood(Throwable refusal) {
    return refusal instanceof InvalidTopicException
        || refusal instanceof InvalidPartitionsException
        || refusal instanceof InvalidConfigurationException
        || refusal instanceof PolicyViolationException;
  }

  /** Creates it, and waits until it can be written. */
  void create(StreamState stream) throws ExecutionException, InterruptedException {
    pass(TopicExistsException.class, admin.createTopics(List.of(topic(stream))).all());
    awaitLeaders(stream, stream.partitions());
  }

  /**
   * Waits until each partition has a leader that serves it. One that is written before refuses the
   * first batch of an idempotent producer, may take the second, and then refuses the first for good
   * (it is out of order).
   */
  private void awaitLeaders(StreamState stream, int partitions)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (int partition = 0; partition < partitions; partition++) {
      ends.put(new TopicPartition(name(stream), partition), OffsetSpec.latest());
    }
    var unused = admin.listOffsets(ends).all().get();
  }

  private NewTopic topic(StreamState stream) {
    Map<String, String> configs = new HashMap<>(configs(stream));
    configs.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
    configs.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
    return new NewTopic(name(stream), stream.partitions(), replication).configs(configs);
  }

  private static Map<String, String> configs(StreamState stream) {
    return Map.of(
        TopicConfig.RETENTION_MS_CONFIG,
        Long.toString(stream.retentionMillis()),
        TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
        Integer.toString(stream.maxRecordKiB() * 1_024 + OVERHEAD_BYTES));
  }

  void configure(StreamState stream) throws ExecutionException, InterruptedException {
    Collection<AlterConfigOp> changes = new ArrayList<>();
    configs(stream)
        .forEach(
            (key, value) ->
                changes.add(
                    new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
    admin
        .incrementalAlterConfigs(
            Map.of(new ConfigResource(ConfigResource.Type.TOPIC, name(stream)), changes))
        .all()
        .get();
  }

  /**
   * Adds partitions until there are {@code count} at least, and waits until they can be written.
   */
  void grow(StreamState stream, int count) throws ExecutionException, InterruptedException {
    if (count > stream.partitions()) {
      pass(
          InvalidPartitionsException.class,
          admin.createPartitions(Map.of(name(stream), NewPartitions.increaseTo(count))).all());
      awaitLeaders(stream, count);
    }
  }

  /** Deletes the topic if it is there. */
  void delete(StreamState stream) throws ExecutionException, InterruptedException {
    pass(UnknownTopicOrPartitionException.class, admin.deleteTopics(List.of(name(stream))).all());
  }

  /** Waits, but not for a failure that says it is done already. */
  private static void pass(Class<? extends Exception> done, KafkaFuture<Void> future)
      throws ExecutionException, InterruptedException {
    try {
      future.get();
    } catch (ExecutionException e) {
      if (!done.isInstance(e.getCause())) {
        throw e;
      }
    }
  }
}
