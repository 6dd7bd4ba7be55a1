package dev.sluice.contract;

import java.time.Duration;
import java.util.List;

/**
 * The topics of an installation.
 *
 * @param prefix of every name, such as {@code sluice.}
 * @param partitions of every topic that is keyed by room; fixed for ever, since it decides which
 *     partition a room belongs to
 */
public record Topics(String prefix, int partitions) {
  public static final String DEFAULT_PREFIX = "sluice.";
  public static final int DEFAULT_PARTITIONS = 8;

  /** A tombstone that were forgotten would leave an old value in force where it was missed. */
  private static final Duration FOR_EVER = Duration.ofDays(36_500);

  /** How long Kafka keeps a record. */
  public enum Cleanup {
    /** For a time. */
    DELETE,
    /** Until there is a newer one of the same key. */
    COMPACT
  }

  /**
   * A topic as it must be. All have {@code message.timestamp.type=LogAppendTime}: no producer's
   * clock is believed.
   *
   * @param retention how long a record is kept; in a compacted topic, how long a tombstone is
   */
  public record TopicSpec(String name, int partitions, Cleanup cleanup, Duration retention) {}

  /**
   * @throws IllegalArgumentException if {@code partitions} is below 1, or {@code prefix} can't
   *     begin the name of a topic
   */
  public Topics {
    if (partitions < 1) {
      throw new IllegalArgumentException("a topic has at least 1 partition, not " + partitions);
    }
    if (!prefix.matches("[a-zA-Z0-9._-]{0,200}")) {
      throw new IllegalArgumentException("topics can't begin with \"" + prefix + "\"");
    }
  }

  /** Commands, keyed by room. */
  public String entries() {
    return prefix + "entries";
  }

  /** What commands changed, keyed by room, in the partition of the command. */
  public String outcomes() {
    return prefix + "outcomes";
  }

  /** Joins and leaves, keyed by room. */
  public String joins() {
    return prefix + "joins";
  }

  /** What happens in rooms. Keyed by room where the event is to be fetched, else by anything. */
  public String roomEvents() {
    return prefix + "room-events";
  }

  /** Sums of what happened and audiences, keyed by room. */
  public String roomCounts() {
    return prefix + "room-counts";
  }

  /** Rooms that are hot, keyed by room: one partition. */
  public String hotRooms() {
    return prefix + "hot-rooms";
  }

  /** What operators write: one partition. */
  public String config() {
    return prefix + "config";
  }

  /** Settings accepted and in force: one partition. */
  public String settings() {
    return prefix + "settings";
  }

  /** Every attempt to change a setting: one partition. */
  public String configHistory() {
    return prefix + "config-history";
  }

  /** Records that could not be used. */
  public String deadLetters() {
    return prefix + "dlq";
  }

  /** All of them, as they must be. */
  public List<TopicSpec> specs() {
    return List.of(
        new TopicSpec(entries(), partitions, Cleanup.DELETE, Duration.ofDays(7)),
        new TopicSpec(outcomes(), partitions, Cleanup.DELETE, Duration.ofDays(7)),
        new TopicSpec(joins(), partitions, Cleanup.DELETE, Duration.ofDays(7)),
        new TopicSpec(roomEvents(), partitions, Cleanup.DELETE, Duration.ofDays(7)),
        new TopicSpec(roomCounts(), partitions, Cleanup.DELETE, Duration.ofHours(1)),
        new TopicSpec(hotRooms(), 1, Cleanup.COMPACT, Duration.ofDays(1)),
        new TopicSpec(config(), 1, Cleanup.COMPACT, FOR_EVER),
        new TopicSpec(settings(), 1, Cleanup.COMPACT, FOR_EVER),
        new TopicSpec(configHistory(), 1, Cleanup.DELETE, Duration.ofDays(90)),
        new TopicSpec(deadLetters(), 1, Cleanup.DELETE, Duration.ofDays(30)));
  }
}
