package dev.sluice.kinesis.shard;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * All that is known of a stream. Immutable; {@link StreamChange} and {@link Resharding} make the
 * next from it.
 *
 * @param created in milliseconds since the epoch; tells it from an earlier stream of its name
 * @param retentionHours how long records are kept, {@value #MIN_RETENTION} to {@value
 *     #MAX_RETENTION}; of a topic of others from 1
 * @param maxRecordKiB data and partition key of a record at most, in KiB
 * @param keyId of the encryption asked for; null for none
 * @param metrics by shard that were asked for, sorted
 * @param tags sorted by key
 * @param consumers in the order of their names
 * @param shards by number, ascending; those whose records are gone may be missing
 * @param nextShard number of the next shard
 * @param partitions that the topic has, or will have once the stream is no longer CREATING
 * @param resharding that is under way, or null
 * @param topic of others that it stands for, each partition a shard; null if it has one of its own
 */
public record StreamState(
    String name,
    Status status,
    Mode mode,
    long created,
    int retentionHours,
    int maxRecordKiB,
    String keyId,
    List<String> metrics,
    Map<String, String> tags,
    List<Consumer> consumers,
    List<Shard> shards,
    int nextShard,
    int partitions,
    Resharding resharding,
    String topic) {
  public static final int MIN_RETENTION = 24;
  public static final int MAX_RETENTION = 8_760;
  public static final int DEFAULT_MAX_RECORD_KIB = 1_024;

  private static final long HOUR = 3_600_000;

  /** As answers have it. */
  public enum Status {
    /** Its topic doesn't exist yet. */
    CREATING,
    ACTIVE,
    /** It is being resharded, or its topic isn't configured yet as it should be. */
    UPDATING,
    /** Its topic is going. */
    DELETING
  }

  /** As answers have it; shards are never added by themselves. */
  public enum Mode {
    PROVISIONED,
    ON_DEMAND
  }

  public StreamState {
    metrics = List.copyOf(metrics);
    tags = Collections.unmodifiableMap(new TreeMap<>(tags));
    consumers = List.copyOf(consumers);
    shards = List.copyOf(shards);
  }

  /** Whether its records are those of a topic that others made, which nothing here changes. */
  public boolean isOfOthers() {
    return topic != null;
  }

  /** How long records are kept, in milliseconds. */
  public long retentionMillis() {
    return retentionHours * HOUR;
  }

  /** Whether it is this very stream, not a later one of the same name. */
  public boolean isSame(StreamState other) {
    return other != null && created == other.created;
  }

  public Optional<Shard> shard(int number) {
    int low = 0;
    int high = shards.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      Shard shard = shards.get(middle);
      if (shard.number() == number) {
        return Optional.of(shard);
      }
      if (shard.number() < number) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return Optional.empty();
  }

  /** The shard of an id as requests have it. */
  public Optional<Shard> shard(String id) {
    int number = Shard.number(id);
    return number == Shard.NONE ? Optional.empty() : shard(number);
  }

  /** Shards that aren't closed, by number: together they have every hash key once. */
  public List<Shard> open() {
    return shards.stream().filter(shard -> !shard.isClosed()).toList();
  }

  /** Whether a shard can still have records: a closed one goes when the last of them has. */
  public boolean isVisible(Shard shard, long now) {
    return !shard.isClosed() || shard.closedAt() + retentionMillis() > now;
  }

  /** Shards that can still have records, by number. */
  public List<Shard> visible(long now) {
    return shards.stream().filter(shard -> isVisible(shard, now)).toList();
  }

  /** What was made of a closed shard, by number. */
  public List<Shard> children(Shard parent) {
    return shards.stream().filter(shard -> shard.isChildOf(parent)).toList();
  }

  /** The oldest time of which records may be left. */
  public long trimHorizon(long now) {
    return Math.max(created, now - retentionMillis());
  }

  boolean wasOpen(Shard shard, long at) {
    return openedAt(shard) <= at && (!shard.isClosed() || at < shard.closedAt());
  }

  /** When it took its parents' place, which its created second may run ahead of. */
  private long openedAt(Shard shard) {
    return shard.parent() == Shard.NONE
        ? created
        : shard(shard.parent()).map(Shard::closedAt).orElse(created);
  }
}
