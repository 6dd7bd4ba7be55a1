package dev.sluice.kinesis.shard;

import java.math.BigInteger;

/**
 * Names a record of a shard, in order within the shard and across its parents and children: 186
 * bits, written in decimal. In hexadecimal, from the left: {@code 2}, the second the shard began (9
 * digits), the lowest digit of the shard's number, the index (16), {@code 00}, the second of the
 * record (9), the shard's number (8), {@code 2}; the form that readers of Kinesis expect.
 *
 * @param createdSeconds when the shard began, since the epoch
 * @param index of the record: its offset in the partition
 * @param seconds when the record was appended, since the epoch
 * @param shard number of the shard
 */
public record SequenceNumber(long createdSeconds, long index, long seconds, int shard) {
  private static final int BITS = 186;
  private static final int SECONDS_BITS = 36;
  private static final int INDEX_AT = SECONDS_BITS + 8 + 32 + 4;
  private static final int SECONDS_AT = 32 + 4;
  private static final int SHARD_AT = 4;
  private static final int NIBBLE_AT = INDEX_AT + 64;
  private static final int CREATED_AT = NIBBLE_AT + 4;
  private static final long SECONDS_MASK = (1L << SECONDS_BITS) - 1;

  /** Beyond every offset: where a closed shard ends. */
  static final long LAST_INDEX = Long.MAX_VALUE;

  /**
   * @throws IllegalArgumentException if it isn't one
   */
  public static SequenceNumber parse(String decimal) {
    if (!decimal.matches("0|[1-9][0-9]{0,128}")) {
      throw new IllegalArgumentException("no decimal number");
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
    if (parsed.index < 0
        || parsed.shard < 0
        || bits(number, NIBBLE_AT, 4) != (parsed.shard & 0xf)) {
      throw new IllegalArgumentException("not of the form of a sequence number");
    }
    return parsed;
  }

  private static long bits(BigInteger number, int from, int count) {
    return number.shiftRight(from).longValue() & ((1L << count) - 1);
  }

  /** Decimal. */
  @Override
  public String toString() {
    BigInteger number =
        BigInteger.valueOf(2L << SECONDS_BITS | createdSeconds & SECONDS_MASK)
            .shiftLeft(4)
            .or(BigInteger.valueOf(shard & 0xf))
            .shiftLeft(64)
            .or(BigInteger.valueOf(index))
            .shiftLeft(8)
            .shiftLeft(SECONDS_BITS)
            .or(BigInteger.valueOf(seconds & SECONDS_MASK))
            .shiftLeft(32)
            .or(BigInteger.valueOf(shard & 0xffff_ffffL))
            .shiftLeft(4)
            .or(BigInteger.TWO);
    return number.toString();
  }
}
