package dev.sluice.kinesis.sluice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.InvalidRecordException;
import dev.sluice.kinesis.sluice.AggregatedRecord.UserRecord;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class AggregatedRecordProperties {
  private static final byte[] DATA = "data".getBytes(UTF_8);

  @Property(tries = 200)
  void recordsAreUnpackedInTheirOrder(
      @ForAll @Size(min = 1, max = 20) List<@Size(max = 200) byte[]> records)
      throws InvalidRecordException {
    byte[] packed = Aggregates.of(records);

    assertThat(AggregatedRecord.begins(packed)).isTrue();
    List<UserRecord> read = AggregatedRecord.read(packed);
    assertThat(read).hasSameSizeAs(records);
    for (int i = 0; i < records.size(); i++) {
      assertThat(read.get(i).data()).isEqualTo(records.get(i));
      assertThat(read.get(i).partitionKey()).isEqualTo("key-" + i);
    }
  }

  @Property(tries = 500)
  void whateverStandsBetweenMagicAndDigestIsReadOrRefused(
      @ForAll @Size(max = 60) byte[] garbage, @ForAll @IntRange(max = 100) int at) {
    readOrRefused(Aggregates.sealed(garbage));

    // And in the place of what was right.
    byte[] packed = Aggregates.of(List.of(DATA, DATA));
    byte[] message = Arrays.copyOfRange(packed, 4, packed.length - 16);
    int from = Math.min(at, message.length);
    System.arraycopy(garbage, 0, message, from, Math.min(garbage.length, message.length - from));
    readOrRefused(Aggregates.sealed(message));
    readOrRefused(Aggregates.sealed(Arrays.copyOf(message, from)));
  }

  private static void readOrRefused(byte[] packed) {
    try {
      assertThat(AggregatedRecord.read(packed)).isNotEmpty();
    } catch (InvalidRecordException e) {
      assertThat(e).hasMessageContaining("the aggregated record is malformed");
    }
  }

  @Example
  void aRecordThatIsCutOrChangedIsRefused() {
    byte[] packed = Aggregates.of(List.of(DATA, DATA));

    for (int length = 4; length < packed.length; length++) {
      byte[] cut = Arrays.copyOf(packed, length);
      assertThatThrownBy(() -> AggregatedRecord.read(cut)).hasMessageContaining("digest");
    }
    for (int at = 4; at < packed.length; at++) {
      byte[] changed = packed.clone();
      changed[at] ^= 1;
      assertThatThrownBy(() -> AggregatedRecord.read(changed)).hasMessageContaining("digest");
    }
  }

  @Example
  void onlyWhatHasTheMagicBeginsSo() {
    assertThat(AggregatedRecord.begins(new byte[0])).isFalse();
    assertThat(AggregatedRecord.begins(new byte[] {(byte) 0xF3, (byte) 0x89, (byte) 0x9A}))
        .isFalse();
    assertThat(AggregatedRecord.begins("{\"type\":1}".getBytes(UTF_8))).isFalse();
  }

  @Example
  void whatIsNoSuchMessageIsRefused() {
    List<String> messages =
        List.of(
            // nothing, a key alone, and a record without a key
            "",
            "0a0161",
            "1a050800 1a0178",
            // a record without data, and one that names no key
            "0a0161 1a020800",
            "0a0161 1a031a0178",
            // the key's index beyond the table, far beyond, and negative
            "0a0161 1a0508011a0178",
            "0a0161 1a0908ffffffff0f1a0178",
            "0a0161 1a0e08ffffffffffffffffff011a0178",
            // lengths beyond the end: by one, by 2 GiB, beyond an int and beyond a long
            "0a0261",
            "0affffffff0761",
            "0affffffffff0761",
            "0affffffffffffffffff0161",
            "0affffffffffffffffffff0161",
            // a record's data beyond the record, though not beyond the whole
            "0a0161 1a0508001a0578 0a0161 0a0161",
            // no field 0, no groups, no wire types 6 and 7, no number that doesn't end
            "020161",
            "0b0c",
            "0e",
            "0f",
            "0880");

    for (String message : messages) {
      byte[] packed = Aggregates.sealed(HexFormat.of().parseHex(message.replace(" ", "")));
      assertThatThrownBy(() -> AggregatedRecord.read(packed))
          .as(message)
          .isInstanceOf(InvalidRecordException.class)
          .hasMessage("the aggregated record is malformed");
    }
  }

  @Example
  void fieldsItDoesNotKnowArePassedOverAndKeysMayFollow() throws InvalidRecordException {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    Aggregates.bytes(message, 3, Aggregates.record(1, DATA));
    Aggregates.number(message, 9, -1);
    message.writeBytes(new byte[] {0x51, 1, 2, 3, 4, 5, 6, 7, 8, 0x55, 1, 2, 3, 4});
    Aggregates.bytes(message, 1, "a".getBytes(UTF_8));
    Aggregates.bytes(message, 1, "b".getBytes(UTF_8));

    assertThat(AggregatedRecord.read(Aggregates.sealed(message.toByteArray())))
        .singleElement()
        .satisfies(record -> assertThat(record.partitionKey()).isEqualTo("b"))
        .satisfies(record -> assertThat(record.data()).isEqualTo(DATA));
  }

  @Example
  void thereIsABoundOfKeys() throws InvalidRecordException {
    String longest = "ä".repeat(AggregatedRecord.MAX_KEY);

    assertThat(AggregatedRecord.read(under(longest)))
        .singleElement()
        .satisfies(record -> assertThat(record.partitionKey()).isEqualTo(longest));
    for (String longer : List.of(longest + "a", "a".repeat(800_000))) {
      assertThatThrownBy(() -> AggregatedRecord.read(under(longer)))
          .isInstanceOf(InvalidRecordException.class)
          .hasMessage("the aggregated record is malformed");
    }
  }

  private static byte[] under(String key) {
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    Aggregates.bytes(message, 1, key.getBytes(UTF_8));
    Aggregates.bytes(message, 3, Aggregates.record(0, DATA));
    return Aggregates.sealed(message.toByteArray());
  }

  @Example
  void thereIsABoundOfRecords() throws InvalidRecordException {
    List<byte[]> most = Collections.nCopies(AggregatedRecord.MAX_RECORDS, DATA);
    List<byte[]> more = Collections.nCopies(AggregatedRecord.MAX_RECORDS + 1, DATA);

    assertThat(AggregatedRecord.read(Aggregates.of(most))).hasSize(AggregatedRecord.MAX_RECORDS);
    assertThatThrownBy(() -> AggregatedRecord.read(Aggregates.of(more)))
        .hasMessageContaining("at most 20000 records");
  }
}
