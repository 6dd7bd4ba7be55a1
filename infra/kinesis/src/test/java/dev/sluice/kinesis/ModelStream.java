package dev.sluice.kinesis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What AWS says of a stream, without anything that could go wrong. */
final class ModelStream {
  static final BigInteger MAX = BigInteger.TWO.pow(128).subtract(BigInteger.ONE);

  /** By number. */
  final Map<Integer, ModelShard> shards = new TreeMap<>();

  /** A record as it was acknowledged. */
  record Stored(String sequenceNumber, String text) {}

  /** A shard with its records in their order. */
  static final class ModelShard {
    final int number;
    final BigInteger start;
    final BigInteger end;
    final Integer parent;
    final Integer adjacentParent;
    final List<Stored> records = new ArrayList<>();
    boolean isClosed;

    ModelShard(int number, BigInteger start, BigInteger end, Integer parent, Integer adjacent) {
      this.number = number;
      this.start = start;
      this.end = end;
      this.parent = parent;
      this.adjacentParent = adjacent;
    }

    boolean has(BigInteger hash) {
      return start.compareTo(hash) <= 0 && end.compareTo(hash) >= 0;
    }

    /** As AWS has it: neither at an edge nor one beside the first. */
    boolean canSplitAt(BigInteger hash) {
      return !isClosed && hash.compareTo(start.add(BigInteger.ONE)) > 0 && hash.compareTo(end) < 0;
    }

    /** Only then the two can be merged, in this order. */
    boolean endsWhereBegins(ModelShard other) {
      return end.add(BigInteger.ONE).equals(other.start);
    }
  }

  ModelStream(int count) {
    BigInteger part = BigInteger.TWO.pow(128).divide(BigInteger.valueOf(count));
    for (int i = 0; i < count; i++) {
      BigInteger start = part.multiply(BigInteger.valueOf(i));
      BigInteger end =
          i == count - 1 ? MAX : part.multiply(BigInteger.valueOf(i + 1L)).subtract(BigInteger.ONE);
      add(start, end, null, null);
    }
  }

  static BigInteger hash(String partitionKey) {
    try {
      return new BigInteger(
          1, MessageDigest.getInstance("MD5").digest(partitionKey.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private void add(BigInteger start, BigInteger end, Integer parent, Integer adjacentParent) {
    int number = shards.size();
    shards.put(number, new ModelShard(number, start, end, parent, adjacentParent));
  }

  List<ModelShard> open() {
    return shards.values().stream().filter(shard -> !shard.isClosed).toList();
  }

  ModelShard openFor(BigInteger hash) {
    return open().stream().filter(shard -> shard.has(hash)).findAny().orElseThrow();
  }

  List<ModelShard> children(ModelShard parent) {
    return shards.values().stream()
        .filter(
            shard ->
                Integer.valueOf(parent.number).equals(shard.parent)
                    || Integer.valueOf(parent.number).equals(shard.adjacentParent))
        .toList();
  }

  void split(ModelShard parent, BigInteger at) {
    parent.isClosed = true;
    add(parent.start, at.subtract(BigInteger.ONE), parent.number, null);
    add(at, parent.end, parent.number, null);
  }

  void merge(ModelShard parent, ModelShard adjacent) {
    parent.isClosed = true;
    adjacent.isClosed = true;
    add(parent.start, adjacent.end, parent.number, adjacent.number);
  }
}
