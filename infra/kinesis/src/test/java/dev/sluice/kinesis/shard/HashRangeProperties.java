package dev.sluice.kinesis.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class HashRangeProperties {
  private static final BigInteger SIZE = BigInteger.ONE.shiftLeft(128);

  @Property(tries = 30)
  void uniformRangesHaveTheRingWithNoGapAndNoOverlap(
      @ForAll @IntRange(min = 1, max = 2_000) int count) {
    List<HashRange> ranges = HashRange.uniform(count);

    assertThat(ranges).hasSize(count);
    assertThat(ranges.get(0).start()).isEqualTo(HashKey.ZERO);
    assertThat(ranges.get(count - 1).end()).isEqualTo(HashKey.MAX);
    BigInteger step = SIZE.divide(BigInteger.valueOf(count));
    for (int i = 0; i < count; i++) {
      assertThat(number(ranges.get(i).start())).isEqualTo(step.multiply(BigInteger.valueOf(i)));
      assertThat(i == 0 || ranges.get(i - 1).isBefore(ranges.get(i))).isTrue();
    }
  }

  @Property
  void keysAreNumbersOf128Bits(@ForAll long high, @ForAll long low) {
    HashKey key = new HashKey(high, low);
    BigInteger number =
        new BigInteger(1, ByteBuffer.allocate(16).putLong(high).putLong(low).array());

    assertThat(key.toString()).isEqualTo(number.toString());
    assertThat(HashKey.parse(key.toString())).isEqualTo(key);
    if (!key.equals(HashKey.MAX)) {
      assertThat(number(key.next())).isEqualTo(number.add(BigInteger.ONE));
      assertThat(key.next().previous()).isEqualTo(key);
      assertThat(key.compareTo(key.next())).isNegative();
    }
  }

  @Property
  void keysHaveTheOrderOfNumbers(
      @ForAll long high, @ForAll long low, @ForAll long otherHigh, @ForAll long otherLow) {
    HashKey one = new HashKey(high, low);
    HashKey other = new HashKey(otherHigh, otherLow);

    assertThat(Integer.signum(one.compareTo(other)))
        .isEqualTo(number(one).compareTo(number(other)));
  }

  @Example
  void aPartitionKeyFallsWhereItsMd5Says() {
    assertThat(HashKey.of("").toString()).isEqualTo("281949768489412648962353822266799178366");
    assertThat(HashKey.of("é")).isEqualTo(HashKey.of("\u00e9"));
    assertThat(new BigInteger(HashKey.of("a").toString()).toString(16))
        .isEqualTo("cc175b9c0f1b6a831c399e269772661");
  }

  @Example
  void whatIsNoNumberBelowTheSizeIsRefused() {
    for (String text :
        List.of("", "-1", "01", "1e3", " 1", SIZE.toString(), "9".repeat(39), "1".repeat(40))) {
      assertThatThrownBy(() -> HashKey.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(HashKey.parse(SIZE.subtract(BigInteger.ONE).toString())).isEqualTo(HashKey.MAX);
  }

  private static BigInteger number(HashKey key) {
    return new BigInteger(key.toString());
  }
}
