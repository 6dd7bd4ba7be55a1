package dev.sluice.kinesis.shard;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * A point on the ring that shards divide: an unsigned number of 128 bits.
 *
 * @param high the upper 64 bits
 * @param low the lower 64 bits
 */
public record HashKey(long high, long low) implements Comparable<HashKey> {
  public static final HashKey ZERO = new HashKey(0, 0);

  /** 2<sup>128</sup> - 1. */
  public static final HashKey MAX = new HashKey(-1, -1);

  private static final BigInteger SIZE = BigInteger.ONE.shiftLeft(128);
  private static final int MAX_DIGITS = 39;
  private static final ThreadLocal<MessageDigest> MD5 = ThreadLocal.withInitial(HashKey::md5);

  /** Where a partition key falls: the MD5 of its UTF-8. */
  public static HashKey of(String partitionKey) {
    ByteBuffer digest = ByteBuffer.wrap(MD5.get().digest(partitionKey.getBytes(UTF_8)));
    return new HashKey(digest.getLong(), digest.getLong());
  }

  /**
   * @param decimal digits without leading zeros
   * @throws IllegalArgumentException if it isn't such a number below 2<sup>128</sup>
   */
  public static HashKey parse(String decimal) {
    if (!isDecimal(decimal)) {
      throw new IllegalArgumentException("no decimal number of at most 39 digits");
    }
    BigInteger number = new BigInteger(decimal);
    if (number.compareTo(SIZE) >= 0) {
      throw new IllegalArgumentException("not below 2^128");
    }
    return of(number);
  }

  /** Whether it is {@code 0|[1-9][0-9]{0,38}}; clients may send one with each record. */
  private static boolean isDecimal(String text) {
    if (text.isEmpty() || text.length() > MAX_DIGITS) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return text.length() == 1 || text.charAt(0) != '0';
  }

  /** Where range {@code index} of {@code count} equal ones begins. */
  static HashKey start(int index, int count) {
    return of(SIZE.divide(BigInteger.valueOf(count)).multiply(BigInteger.valueOf(index)));
  }

  private static HashKey of(BigInteger number) {
    return new HashKey(number.shiftRight(64).longValue(), number.longValue());
  }

  private static MessageDigest md5() {
    try {
      return MessageDigest.getInstance("MD5");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  HashKey previous() {
    return new HashKey(low == 0 ? high - 1 : high, low - 1);
  }

  HashKey next() {
    return new HashKey(low == -1 ? high + 1 : high, low + 1);
  }

  @Override
  public int compareTo(HashKey other) {
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  /** Decimal, as requests and answers have it. */
  @Override
  public String toString() {
    return new BigInteger(Long.toUnsignedString(high))
        .shiftLeft(64)
        .add(new BigInteger(Long.toUnsignedString(low)))
        .toString();
  }
}
