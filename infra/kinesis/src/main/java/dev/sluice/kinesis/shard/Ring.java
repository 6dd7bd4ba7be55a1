package dev.sluice.kinesis.shard;

import java.util.Comparator;
import java.util.List;

/** Which shard of a stream has a hash key. */
public final class Ring {
  private final StreamState stream;
  private final Shard[] shards;
  private final HashKey[] starts;

  private Ring(StreamState stream, List<Shard> sorted) {
    this.stream = stream;
    this.shards = sorted.toArray(Shard[]::new);
    this.starts = sorted.stream().map(shard -> shard.range().start()).toArray(HashKey[]::new);
  }

  public static Ring of(StreamState stream) {
    return new Ring(
        stream,
        stream.open().stream()
            .sorted(Comparator.comparing(shard -> shard.range().start()))
            .toList());
  }

  /** What it was made of. */
  public StreamState stream() {
    return stream;
  }

  /** How many shards there are. */
  public int size() {
    return shards.length;
  }

  /** A shard by its place on the ring, from 0; none is closed, but it may be CLOSING. */
  public Shard shard(int place) {
    return shards[place];
  }

  /** The place of the one shard that has the key. */
  public int place(HashKey key) {
    int low = 0;
    int high = starts.length - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (starts[middle].compareTo(key) <= 0) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
}
