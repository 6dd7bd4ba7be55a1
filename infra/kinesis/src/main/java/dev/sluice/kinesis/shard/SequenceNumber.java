package dev.sluice.kinesis.shard;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.math.BigInteger;

/**
 * Names a record of a shard, in order within the shard and across its parents and children: 186
 * bits, written in decimal. In hexadecimal, from the left: {@code 2}, the second the shard began (9
 * digits), the lowest digit of the shard's number, the index (16), {@code 00}, the second of the
 * record (9), the shard's number (8), {@code 2}; the form that readers of Kinesis expect.
 *
 * @param createdSeconds when the shard began, since the epoch
 * @param index of the record, one more than its offset in the partition; 0 where the shard begins,
 *     before every record
 * @param seconds when the record was appended, since the epoch
 * @param shard number of the shard
 */
public record SequenceNumber(long createdSeconds, long index, long seconds, int shard)
    implements Comparable<SequenceNumber> {
  private static final int BITS = 186;
  private static final int SECONDS_BITS = 36;
  private static final int INDEX_AT = SECONDS_BITS + 8 + 32 + 4;
  private static final int SECONDS_AT = 32 + 4;
  private static final int SHARD_AT = 4;
  private static final int NIBBLE_AT = INDEX_AT + 64;
  private static final int CREATED_AT = NIBBLE_AT + 4;
  private static final long SECONDS_MASK = (1L << SECONDS_BITS) - 1;
  private static final int WORDS = 6;

  /** Of a number between 2<sup>185</sup> and 2<sup>186</sup>, and so of every one. */
  private static final int DIGITS = 56;

  private static final int DIGITS_A_STEP = 9;
  private static final long STEP = 1_000_000_000;

  /** Beyond every offset: where a closed shard ends. */
  static final long LAST_INDEX = Long.MAX_VALUE;

  public SequenceNumber {
    if ((createdSeconds & ~SECONDS_MASK) != 0
        || (seconds & ~SECONDS_MASK) != 0
        || index < 0
        || shard < 0) {
      throw new IllegalArgumentException("out of range");
    }
  }

  /**
   * Names the record of a shard at an offset.
   *
   * @param timestampMillis since the epoch; others may have written anything
   */
  public static SequenceNumber of(Shard shard, long offset, long timestampMillis) {
    return new SequenceNumber(
        shard.createdSeconds(),
        offset + 1,
        Math.max(0, Math.min(timestampMillis / 1_000, SECONDS_MASK)),
        shard.number());
  }

  /**
   * @throws IllegalArgumentException if it isn't one
   */
  public static SequenceNumber parse(String decimal) {
    if (!decimal.matches("[1-9][0-9]{" + (DIGITS - 1) + "}")) {
      throw new IllegalArgumentException("not of the form of a sequence number");
    }
    BigInteger number = new BigInteger(decimal);
    if (number.bitLength() != BITS
        || bits(number, CREATED_AT + SECONDS_BITS, 4) != 2
        || bits(number, 0, 4) != 2
        || bits(number, SECONDS_AT + SECONDS_BITS, 8) != 0) {
      throw new IllegalArgumentException("not of the form of a sequence number");
    }
    SequenceNumber parsed =
        new SequenceNumber(
            bits(number, CREATED_AT, SECONDS_BITS),
            number.shiftRight(INDEX_AT).longValue(),
            bits(number, SECONDS_AT, SECONDS_BITS),
            (int) bits(number, SHARD_AT, 32));
    if (bits(number, NIBBLE_AT, 4) != (parsed.shard & 0xf)) {
      throw new IllegalArgumentException("not of the form of a sequence number");
    }
    return parsed;
  }

  private static long bits(BigInteger number, int from, int count) {
    return number.shiftRight(from).longValue() & ((1L << count) - 1);
  }

  /** The order of the numbers as numbers. */
  @Override
  public int compareTo(SequenceNumber other) {
    int order = Long.compare(createdSeconds, other.createdSeconds);
    if (order == 0) {
      order = Integer.compare(shard & 0xf, other.shard & 0xf);
    }
    if (order == 0) {
      order = Long.compare(index, other.index);
    }
    if (order == 0) {
      order = Long.compare(seconds, other.seconds);
    }
    return order != 0 ? order : Integer.compare(shard, other.shard);
  }

  /**
   * Decimal. Every record written and read needs one, so it is long division by 10<sup>9</sup> on
   * an array rather than BigInteger's way.
   */
  @Override
  public String toString() {
    long high = (2L << 56) | (createdSeconds << 20) | ((shard & 0xfL) << 16) | (index >>> 48);
    long middle = (index << 16) | (seconds >>> 28);
    long low = (seconds << SECONDS_AT) | ((long) shard << SHARD_AT) | 2;
    int[] words = {
      (int) (high >>> 32),
      (int) high,
      (int) (middle >>> 32),
      (int) middle,
      (int) (low >>> 32),
      (int) low
    };
    byte[] text = new byte[DIGITS];
    int first = 0;
    for (int at = DIGITS; at > 0; at -= DIGITS_A_STEP) {
      long rest = 0;
      for (int i = first; i < WORDS; i++) {
        long part = (rest << 32) | Integer.toUnsignedLong(words[i]);
        words[i] = (int) (part / STEP);
        rest = part % STEP;
      }
      while (first < WORDS && words[first] == 0) {
        first++;
      }
      int digits = (int) rest;
      for (int i = at - 1; i >= Math.max(0, at - DIGITS_A_STEP); i--) {
        text[i] = (byte) ('0' + digits % 10);
        digits /= 10;
      }
    }
    return new String(text, ISO_8859_1);
  }
}
