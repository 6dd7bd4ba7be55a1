package dev.sluice.kinesis.call;

import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamState;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * AWS's limits of a shard: 1,000 records and 1 MiB a second written, 5 calls and 2 MiB a second
 * read. Each instance counts for itself. Thread-safe.
 */
final class ShardRates {
  private static final int WRITTEN_RECORDS = 1_000;
  private static final int WRITTEN_BYTES = 1 << 20;
  private static final int READ_CALLS = 5;
  private static final int READ_BYTES = 2 << 20;

  private final LongSupplier nanos;
  private final Map<Key, Buckets> shards = new ConcurrentHashMap<>();

  private record Key(String stream, long created, int shard) {}

  private static final class Buckets {
    final Bucket records = new Bucket(WRITTEN_RECORDS);
    final Bucket written = new Bucket(WRITTEN_BYTES);
    final Bucket calls = new Bucket(READ_CALLS);
    final Bucket read = new Bucket(READ_BYTES);

    synchronized boolean isFull(long now) {
      return records.isFull(now) && written.isFull(now) && calls.isFull(now) && read.isFull(now);
    }
  }

  /** A second's worth of tokens that fills evenly. Its state is when it will be full again. */
  private static final class Bucket {
    private static final long SECOND = 1_000_000_000;

    private final long perSecond;
    private boolean used;
    private long fullAt;

    Bucket(long perSecond) {
      this.perSecond = perSecond;
    }

    boolean isFull(long now) {
      return !used || fullAt - now <= 0;
    }

    /** Whether so many may be taken: a full one may be overdrawn, so that large ones pass too. */
    boolean has(long count, long now) {
      return isFull(now) || fullAt - now + nanos(count) <= SECOND;
    }

    /** Whether nothing is owed. */
    boolean owesNothing(long now) {
      return isFull(now) || fullAt - now <= SECOND;
    }

    void take(long count, long now) {
      fullAt = (isFull(now) ? now : fullAt) + nanos(count);
      used = true;
    }

    private long nanos(long count) {
      return count * SECOND / perSecond;
    }
  }

  /**
   * @param nanos a clock that only goes forward, in nanoseconds
   */
  ShardRates(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Takes the room for a record of {@code bytes} in a shard; false if there is none. */
  boolean mayPut(StreamState stream, Shard shard, int bytes) {
    Buckets buckets = buckets(stream, shard);
    synchronized (buckets) {
      long now = nanos.getAsLong();
      if (!buckets.records.has(1, now) || !buckets.written.has(bytes, now)) {
        return false;
      }
      buckets.records.take(1, now);
      buckets.written.take(bytes, now);
      return true;
    }
  }

  /** Takes a call to read a shard; false if there have been too many, or too much was read. */
  boolean mayRead(StreamState stream, Shard shard) {
    Buckets buckets = buckets(stream, shard);
    synchronized (buckets) {
      long now = nanos.getAsLong();
      if (!buckets.calls.has(1, now) || !buckets.read.owesNothing(now)) {
        return false;
      }
      buckets.calls.take(1, now);
      return true;
    }
  }

  /** So much has been read of a shard. */
  void read(StreamState stream, Shard shard, long bytes) {
    Buckets buckets = buckets(stream, shard);
    synchronized (buckets) {
      buckets.read.take(bytes, nanos.getAsLong());
    }
  }

  private Buckets buckets(StreamState stream, Shard shard) {
    Buckets buckets =
        shards.computeIfAbsent(
            new Key(stream.name(), stream.created(), shard.number()), key -> new Buckets());
    if (shards.size() > 2 * ShardLimit.SHARDS) {
      long now = nanos.getAsLong();
      shards.values().removeIf(idle -> idle != buckets && idle.isFull(now));
    }
    return buckets;
  }

  /** As AWS says of a shard of which too much is asked. */
  static KinesisException exceeded(Account account, StreamState stream, Shard shard) {
    return new KinesisException(
        ErrorType.PROVISIONED_THROUGHPUT_EXCEEDED,
        "Rate exceeded for shard %s in stream %s under account %s."
            .formatted(shard.id(), stream.name(), account.id()));
  }
}
