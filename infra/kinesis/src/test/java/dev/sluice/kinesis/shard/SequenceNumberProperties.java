package dev.sluice.kinesis.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

class SequenceNumberProperties {
  private static final long LAST_SECOND = (1L << 36) - 1;

  @Property
  void isWrittenInTheDigitsThatReadersOfKinesisExpect(
      @ForAll @LongRange(min = 0, max = LAST_SECOND) long created,
      @ForAll @LongRange(min = 0) long index,
      @ForAll @LongRange(min = 0, max = LAST_SECOND) long seconds,
      @ForAll @IntRange(min = 0) int shard) {
    String text = new SequenceNumber(created, index, seconds, shard).toString();

    assertThat(new BigInteger(text).toString(16))
        .isEqualTo(
            "2%09x%x%016x00%09x%08x2".formatted(created, shard & 0xf, index, seconds, shard));
  }

  @Property
  void isParsedToWhatWasWritten(
      @ForAll @LongRange(min = 0, max = LAST_SECOND) long created,
      @ForAll @LongRange(min = 0) long index,
      @ForAll @LongRange(min = 0, max = LAST_SECOND) long seconds,
      @ForAll @IntRange(min = 0) int shard) {
    SequenceNumber number = new SequenceNumber(created, index, seconds, shard);

    assertThat(SequenceNumber.parse(number.toString())).isEqualTo(number);
  }

  @Property
  void hasTheOrderOfItsDigits(
      @ForAll @LongRange(min = 0, max = 3) long created,
      @ForAll @LongRange(min = 0, max = 3) long otherCreated,
      @ForAll @LongRange(min = 0, max = 3) long index,
      @ForAll @LongRange(min = 0, max = 3) long otherIndex,
      @ForAll @IntRange(min = 0, max = 40) int shard) {
    SequenceNumber one = new SequenceNumber(created, index, 7, shard);
    SequenceNumber other = new SequenceNumber(otherCreated, otherIndex, 7, shard);

    assertThat(Integer.signum(one.compareTo(other)))
        .isEqualTo(new BigInteger(one.toString()).compareTo(new BigInteger(other.toString())));
  }

  @Property
  void nothingElseIsParsed(@ForAll String text) {
    assertThatThrownBy(() -> SequenceNumber.parse(text))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Example
  void numbersThatAreNearlyOneAreRefused() {
    String number = new SequenceNumber(1_800_000_000, 5, 1_800_000_001, 3).toString();
    BigInteger one = new BigInteger(number);

    assertThatThrownBy(() -> SequenceNumber.parse(one.add(BigInteger.ONE).toString()))
        .isInstanceOf(IllegalArgumentException.class);
    // The shard's lowest digit stands twice.
    assertThatThrownBy(() -> SequenceNumber.parse(one.add(BigInteger.valueOf(16)).toString()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SequenceNumber.parse("0" + number))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> SequenceNumber.parse(number + "0"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
