package dev.sluice.kinesis.shard;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What a shard holds of the ring.
 *
 * @param start the first point
 * @param end the last point, included
 */
public record HashRange(HashKey start, HashKey end) {
  public HashRange {
    if (start.compareTo(end) > 0) {
      throw new IllegalArgumentException("a range ends where it begins or later");
    }
  }

  /** The whole ring in {@code count} ranges as equal as they can be; the last takes the rest. */
  static List<HashRange> uniform(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                new HashRange(
                    HashKey.start(i, count),
                    i == count - 1 ? HashKey.MAX : HashKey.start(i + 1, count).previous()))
        .toList();
  }

  public boolean contains(HashKey key) {
    return start.compareTo(key) <= 0 && key.compareTo(end) <= 0;
  }

  boolean contains(HashRange other) {
    return contains(other.start) && contains(other.end);
  }

  /** Whether {@code next} begins right behind the end of this. */
  boolean isBefore(HashRange next) {
    return !end.equals(HashKey.MAX) && end.next().equals(next.start);
  }

  /** Whether the second half can begin at {@code key}, leaving something in the first. */
  boolean canSplitAt(HashKey key) {
    return start.compareTo(key) < 0 && key.compareTo(end) <= 0;
  }
}
