package dev.sluice.kinesis.shard;

import static dev.sluice.kinesis.shard.StreamState.MAX_RETENTION;
import static dev.sluice.kinesis.shard.StreamState.MIN_RETENTION;

import dev.sluice.kinesis.shard.StreamState.Mode;
import dev.sluice.kinesis.shard.StreamState.Status;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What requests make of a stream, but for {@link Resharding}: each is a function of the stream as
 * it is, and gives the same stream where nothing changes. A stream made UPDATING stays so until its
 * topic is configured and {@link #finished} says so. All throw {@link KinesisException}.
 */
public final class StreamChange {
  public static final int MAX_TAGS = 50;
  public static final int MAX_CONSUMERS = 20;

  /** Shards of a stream whose creator names no number. */
  public static final int ON_DEMAND_SHARDS = 4;

  private static final String ALL_METRICS = "ALL";
  private static final List<String> METRICS =
      List.of(
          "IncomingBytes",
          "IncomingRecords",
          "IteratorAgeMilliseconds",
          "OutgoingBytes",
          "OutgoingRecords",
          "ReadProvisionedThroughputExceeded",
          "WriteProvisionedThroughputExceeded");

  private StreamChange() {}

  /**
   * Begins to create a stream.
   *
   * @param present of this name, or null
   * @param all that there are, one of whose names may be the same to Kafka
   * @param shards ignored in mode ON_DEMAND
   */
  public static StreamState create(
      Account account,
      StreamState present,
      Collection<StreamState> all,
      String name,
      Mode mode,
      int shards,
      int maxRecordKiB,
      Map<String, String> tags,
      long now) {
    if (present != null) {
      throw account.streamExists(name);
    }
    checkName(account, all, name);
    checkTags(account, name, tags);
    int count = mode == Mode.ON_DEMAND ? ON_DEMAND_SHARDS : shards;
    return new StreamState(
        name,
        Status.CREATING,
        mode,
        now,
        MIN_RETENTION,
        maxRecordKiB,
        null,
        List.of(),
        tags,
        List.of(),
        first(count, now),
        count,
        count,
        null,
        null);
  }

  /**
   * Has the shards of a stream about to be created begin later than all of an earlier one of its
   * name, so that no sequence number of those can name a record of it.
   *
   * @param second in which the last of those began
   */
  public static StreamState after(long second, StreamState creating) {
    if (creating.created() / 1_000 > second) {
      return creating;
    }
    Draft draft = new Draft(creating);
    draft.shards.clear();
    draft.shards.addAll(first(creating.partitions(), (second + 1) * 1_000));
    return draft.state();
  }

  /** Kafka takes {@code .} and {@code _} in topics' names for one. */
  private static void checkName(Account account, Collection<StreamState> all, String name) {
    String same = name.replace('.', '_');
    for (StreamState other : all) {
      if (!other.isOfOthers() && other.name().replace('.', '_').equals(same)) {
        throw new KinesisException(
            ErrorType.INVALID_ARGUMENT,
            "Stream %s can't be beside stream %s under account %s: names that differ only in '.' and '_' are the same to Kafka."
                .formatted(name, other.name(), account.id()));
      }
    }
  }

  private static List<Shard> first(int count, long now) {
    List<HashRange> ranges = HashRange.uniform(count);
    List<Shard> first = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      first.add(Shard.open(i, ranges.get(i), Shard.NONE, Shard.NONE, now / 1_000, i, 0));
    }
    return first;
  }

  /**
   * A topic of others as a stream: one shard a partition, all open for ever.
   *
   * @param present of this name, or null; one that doesn't stand for this topic stays as it is
   * @param partitions of the topic
   * @param retentionHours of the topic
   */
  public static StreamState ofOthers(
      StreamState present,
      String name,
      String topic,
      int partitions,
      int retentionHours,
      long now) {
    if (present != null && !topic.equals(present.topic())) {
      return present;
    }
    long created = present == null ? now : present.created();
    return new StreamState(
        name,
        Status.ACTIVE,
        Mode.PROVISIONED,
        created,
        retentionHours,
        StreamState.DEFAULT_MAX_RECORD_KIB,
        null,
        List.of(),
        Map.of(),
        present == null ? List.of() : present.consumers(),
        first(partitions, created),
        partitions,
        partitions,
        null,
        topic);
  }

  /** The topic is there, and as it must be. */
  public static StreamState finished(StreamState stream) {
    Draft draft = new Draft(stream);
    draft.status = Status.ACTIVE;
    return draft.state();
  }

  /**
   * Begins to delete a stream.
   *
   * @param withConsumers whether those registered go with it; else they are in the way
   */
  public static StreamState delete(Account account, StreamState stream, boolean withConsumers) {
    if (stream.status() == Status.DELETING) {
      return stream;
    }
    if (stream.status() == Status.CREATING) {
      throw account.notActive(stream);
    }
    if (!stream.consumers().isEmpty() && !withConsumers) {
      throw new KinesisException(
          ErrorType.RESOURCE_IN_USE,
          "DeleteStream can't delete %s because there are consumers associated with this data stream. To delete %s anyway, set the EnforceConsumerDeletion parameter to true to force the deletion of all the consumers that are associated with it."
              .formatted(account.streamArn(stream.name()), stream.name()));
    }
    Draft draft = new Draft(stream);
    draft.status = Status.DELETING;
    return draft.state();
  }

  public static StreamState increaseRetention(Account account, StreamState stream, int hours) {
    checkRetention(hours);
    if (hours < stream.retentionHours()) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Requested retention period (%d hours) for stream %s can not be shorter than existing retention period (%d hours). Use DecreaseRetentionPeriod API."
              .formatted(hours, stream.name(), stream.retentionHours()));
    }
    return retention(account, stream, hours);
  }

  public static StreamState decreaseRetention(Account account, StreamState stream, int hours) {
    checkRetention(hours);
    if (hours > stream.retentionHours()) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Requested retention period (%d hours) for stream %s can not be longer than existing retention period (%d hours). Use IncreaseRetentionPeriod API."
              .formatted(hours, stream.name(), stream.retentionHours()));
    }
    return retention(account, stream, hours);
  }

  private static void checkRetention(int hours) {
    if (hours < MIN_RETENTION) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Minimum allowed retention period is %d hours. Requested retention period (%d hours) is too short."
              .formatted(MIN_RETENTION, hours));
    }
    if (hours > MAX_RETENTION) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Maximum allowed retention period is %d hours. Requested retention period (%d hours) is too long."
              .formatted(MAX_RETENTION, hours));
    }
  }

  private static StreamState retention(Account account, StreamState stream, int hours) {
    checkActive(account, stream);
    if (hours == stream.retentionHours()) {
      return stream;
    }
    Draft draft = updating(stream);
    draft.retentionHours = hours;
    return draft.state();
  }

  /**
   * @param kib data and partition key of a record at most
   */
  public static StreamState maxRecordSize(Account account, StreamState stream, int kib) {
    checkActive(account, stream);
    if (kib == stream.maxRecordKiB()) {
      return stream;
    }
    Draft draft = updating(stream);
    draft.maxRecordKiB = kib;
    return draft.state();
  }

  public static StreamState mode(Account account, StreamState stream, Mode mode) {
    checkActive(account, stream);
    Draft draft = new Draft(stream);
    draft.mode = mode;
    return draft.state();
  }

  /**
   * @param keyId null to stop
   */
  public static StreamState encryption(Account account, StreamState stream, String keyId) {
    checkActive(account, stream);
    Draft draft = new Draft(stream);
    draft.keyId = keyId;
    return draft.state();
  }

  /**
   * @param metrics by name, or {@code ALL}
   */
  public static StreamState enableMonitoring(
      Account account, StreamState stream, Collection<String> metrics) {
    checkActive(account, stream);
    Set<String> enabled = new TreeSet<>(stream.metrics());
    enabled.addAll(metrics.contains(ALL_METRICS) ? METRICS : metrics);
    return monitoring(stream, enabled);
  }

  /**
   * @param metrics by name, or {@code ALL}
   */
  public static StreamState disableMonitoring(
      Account account, StreamState stream, Collection<String> metrics) {
    checkActive(account, stream);
    Set<String> enabled = new TreeSet<>(stream.metrics());
    enabled.removeAll(metrics.contains(ALL_METRICS) ? METRICS : metrics);
    return monitoring(stream, enabled);
  }

  private static StreamState monitoring(StreamState stream, Set<String> enabled) {
    Draft draft = new Draft(stream);
    draft.metrics = List.copyOf(enabled);
    return draft.state();
  }

  public static StreamState addTags(Account account, StreamState stream, Map<String, String> tags) {
    checkNotGoing(account, stream);
    Draft draft = new Draft(stream);
    draft.tags.putAll(tags);
    checkTags(account, stream.name(), draft.tags);
    return draft.state();
  }

  private static void checkTags(Account account, String stream, Map<String, String> tags) {
    if (tags.size() > MAX_TAGS) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Failed to add tags to stream %s under account %s because a given stream cannot have more than %d tags associated with it."
              .formatted(stream, account.id(), MAX_TAGS));
    }
  }

  /** Those that aren't there are passed over. */
  public static StreamState removeTags(
      Account account, StreamState stream, Collection<String> keys) {
    checkNotGoing(account, stream);
    Draft draft = new Draft(stream);
    draft.tags.keySet().removeAll(keys);
    return draft.state();
  }

  public static StreamState registerConsumer(
      Account account, StreamState stream, String name, long now) {
    checkNotGoing(account, stream);
    if (stream.consumers().stream().anyMatch(consumer -> consumer.name().equals(name))) {
      throw new KinesisException(
          ErrorType.RESOURCE_IN_USE,
          "Consumer %s under stream %s already exists for account %s."
              .formatted(name, stream.name(), account.id()));
    }
    if (stream.consumers().size() >= MAX_CONSUMERS) {
      throw new KinesisException(
          ErrorType.LIMIT_EXCEEDED,
          "Stream %s under account %s has reached its limit of %d registered consumers."
              .formatted(stream.name(), account.id(), MAX_CONSUMERS));
    }
    Draft draft = new Draft(stream);
    draft.consumers.add(new Consumer(name, now));
    draft.consumers.sort(Comparator.comparing(Consumer::name));
    return draft.state();
  }

  public static StreamState deregisterConsumer(Account account, StreamState stream, String name) {
    checkNotGoing(account, stream);
    Draft draft = new Draft(stream);
    if (!draft.consumers.removeIf(consumer -> consumer.name().equals(name))) {
      throw account.noConsumer(name);
    }
    return draft.state();
  }

  private static Draft updating(StreamState stream) {
    Draft draft = new Draft(stream);
    draft.status = Status.UPDATING;
    return draft;
  }

  private static void checkActive(Account account, StreamState stream) {
    if (stream.status() != Status.ACTIVE) {
      throw account.notActive(stream);
    }
  }

  private static void checkNotGoing(Account account, StreamState stream) {
    if (stream.status() == Status.DELETING) {
      throw account.notActive(stream);
    }
  }
}
