package dev.sluice.kinesis.shard;

import java.util.List;

/** Which of a stream's shards a list has. */
public sealed interface ShardFilter {
  /** Those of the list, by number; never one whose records are all gone. */
  default List<Shard> of(StreamState stream, long now) {
    return stream.visible(now).stream().filter(shard -> has(stream, shard, now)).toList();
  }

  /** Whether it has a shard that is visible. */
  boolean has(StreamState stream, Shard shard, long now);

  /** All that can have records, closed ones too ({@code FROM_TRIM_HORIZON}, and no filter). */
  record FromTrimHorizon() implements ShardFilter {
    @Override
    public boolean has(StreamState stream, Shard shard, long now) {
      return true;
    }
  }

  /** Those that were open when the oldest record was written ({@code AT_TRIM_HORIZON}). */
  record AtTrimHorizon() implements ShardFilter {
    @Override
    public boolean has(StreamState stream, Shard shard, long now) {
      return stream.wasOpen(shard, stream.trimHorizon(now));
    }
  }

  /** Those open now ({@code AT_LATEST}). */
  record AtLatest() implements ShardFilter {
    @Override
    public boolean has(StreamState stream, Shard shard, long now) {
      return !shard.isClosed();
    }
  }

  /**
   * Those open at a time ({@code AT_TIMESTAMP}).
   *
   * @param time in milliseconds since the epoch
   */
  record AtTimestamp(long time) implements ShardFilter {
    @Override
    public boolean has(StreamState stream, Shard shard, long now) {
      return stream.wasOpen(shard, Math.max(time, stream.trimHorizon(now)));
    }
  }

  /**
   * Those open at a time or since ({@code FROM_TIMESTAMP}).
   *
   * @param time in milliseconds since the epoch
   */
  record FromTimestamp(long time) implements ShardFilter {
    @Override
    public boolean has(StreamState stream, Shard shard, long now) {
      return !shard.isClosed() || shard.closedAt() > time;
    }
  }

  /** Those behind a shard ({@code AFTER_SHARD_ID}, and {@code ExclusiveStartShardId}). */
  record AfterShard(int number) implements ShardFilter {
    @Override
    public boolean has(StreamState stream, Shard shard, long now) {
      return shard.number() > number;
    }
  }
}
