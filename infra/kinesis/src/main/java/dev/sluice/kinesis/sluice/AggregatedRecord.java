package dev.sluice.kinesis.sluice;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.InvalidRecordException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Several records that a producer library has packed into one: four magic bytes, a protobuf of the
 * keys and the records, and the MD5 of the protobuf. Nothing is allocated but for what is there.
 */
final class AggregatedRecord {
  /** The most records that one may hold. */
  static final int MAX_RECORDS = 20_000;

  /** The most characters of a partition key. */
  static final int MAX_KEY = 256;

  private static final byte[] MAGIC = {(byte) 0xF3, (byte) 0x89, (byte) 0x9A, (byte) 0xC2};
  private static final int DIGEST_BYTES = 16;

  /** Fields of the whole, by their numbers. */
  private static final int KEY = 1;

  private static final int RECORD = 3;

  /** Fields of a record, by their numbers. */
  private static final int KEY_INDEX = 1;

  private static final int DATA = 3;

  private AggregatedRecord() {}

  /** A record as it was before it was packed. */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  record UserRecord(String partitionKey, byte[] data) {}

  /** A record whose key isn't looked up yet, since keys may follow. */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  private record Packed(long keyIndex, byte[] data) {}

  /** Whether data begins as a packed record does, and no JSON. */
  static boolean begins(byte[] data) {
    return data.length >= MAGIC.length
        && Arrays.equals(data, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
  }

  /**
   * The records in their order, one at least.
   *
   * @param data that {@link #begins} so
   * @throws InvalidRecordException if it isn't a packed record for all that
   */
  static List<UserRecord> read(byte[] data) throws InvalidRecordException {
    int end = data.length - DIGEST_BYTES;
    if (end < MAGIC.length || !isDigest(data, end)) {
      throw new InvalidRecordException("the aggregated record's digest is wrong");
    }
    List<String> keys = new ArrayList<>();
    List<Packed> packed = new ArrayList<>();
    Protobuf message = new Protobuf(data, MAGIC.length, end);
    while (message.next()) {
      if (message.is(KEY)) {
        String key = new String(data, message.begin(), message.length(), UTF_8);
        if (key.length() > MAX_KEY) {
          throw malformed();
        }
        keys.add(key);
      } else if (message.is(RECORD)) {
        if (packed.size() == MAX_RECORDS) {
          throw new InvalidRecordException(
              "an aggregated record has at most %d records".formatted(MAX_RECORDS));
        }
        packed.add(packed(data, message));
      }
    }
    List<UserRecord> records = new ArrayList<>(packed.size());
    for (Packed each : packed) {
      if (each.keyIndex < 0 || each.keyIndex >= keys.size()) {
        throw malformed();
      }
      records.add(new UserRecord(keys.get((int) each.keyIndex), each.data));
    }
    if (records.isEmpty()) {
      throw malformed();
    }
    return records;
  }

  private static boolean isDigest(byte[] data, int end) {
    try {
      MessageDigest md5 = MessageDigest.getInstance("MD5");
      md5.update(data, MAGIC.length, end - MAGIC.length);
      return Arrays.equals(md5.digest(), 0, DIGEST_BYTES, data, end, data.length);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has MD5", e);
    }
  }

  private static Packed packed(byte[] data, Protobuf message) throws InvalidRecordException {
    long keyIndex = -1;
    byte[] bytes = null;
    Protobuf record = new Protobuf(data, message.begin(), message.begin() + message.length());
    while (record.next()) {
      if (record.isNumber(KEY_INDEX)) {
        keyIndex = record.number();
      } else if (record.is(DATA)) {
        bytes = Arrays.copyOfRange(data, record.begin(), record.begin() + record.length());
      }
    }
    if (bytes == null) {
      throw malformed();
    }
    return new Packed(keyIndex, bytes);
  }

  private static InvalidRecordException malformed() {
    return new InvalidRecordException("the aggregated record is malformed");
  }

  /** The fields of a message one by one. What isn't asked for is passed over. */
  private static final class Protobuf {
    private static final int NUMBER = 0;
    private static final int FIXED_64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED_32 = 5;

    private final byte[] data;
    private final int end;
    private int at;
    private long tag;
    private long number;
    private int begin;

    Protobuf(byte[] data, int from, int end) {
      this.data = data;
      this.at = from;
      this.end = end;
    }

    /** Goes to the next field; false at the end. */
    boolean next() throws InvalidRecordException {
      if (at == end) {
        return false;
      }
      tag = varint();
      if (tag < 1 << 3 || tag >>> 32 != 0) {
        throw malformed();
      }
      switch ((int) (tag & 7)) {
        case NUMBER -> number = varint();
        case FIXED_64 -> pass(8);
        case BYTES -> pass(varint());
        case FIXED_32 -> pass(4);
        default -> throw malformed();
      }
      return true;
    }

    /** Whether the field is of this number and has bytes. */
    boolean is(int field) {
      return tag == ((long) field << 3 | BYTES);
    }

    /** Whether the field is of this number and has one. */
    boolean isNumber(int field) {
      return tag == ((long) field << 3 | NUMBER);
    }

    long number() {
      return number;
    }

    /** Where the field's bytes begin. */
    int begin() {
      return begin;
    }

    /** How many bytes the field has. */
    int length() {
      return at - begin;
    }

    private void pass(long bytes) throws InvalidRecordException {
      if (bytes < 0 || bytes > end - at) {
        throw malformed();
      }
      begin = at;
      at += (int) bytes;
    }

    private long varint() throws InvalidRecordException {
      long value = 0;
      for (int shift = 0; shift < 64 && at < end; shift += 7) {
        byte next = data[at++];
        value |= (next & 0x7fL) << shift;
        if (next >= 0) {
          return value;
        }
      }
      throw malformed();
    }
  }
}
