package dev.sluice.rooms;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.streams.BinaryWriter;

/**
 * The keys of {@link KeptRows}: a kind, then names, each ended by a zero byte, and numbers of eight
 * bytes. Names are identifiers, which hold no zero.
 */
final class RowKeys {
  static final byte SUMS = 'S';
  static final byte SUMS_DUE = 's';
  static final byte EVENT = 'E';
  static final byte FEED = 'F';
  static final byte FEEDS_DUE = 'f';
  static final byte MEMBER = 'M';
  static final byte MEMBERS = 'N';
  static final byte OPENED = 'O';
  static final byte CLOSED = 'C';
  static final byte SWEPT = 'W';

  private RowKeys() {}

  static BinaryWriter of(byte kind) {
    return new BinaryWriter(64).putByte(kind);
  }

  static BinaryWriter of(byte kind, String name) {
    return of(kind).putAscii(name).putByte((byte) 0);
  }

  /** A name alone. */
  static byte[] nameOnly(String name) {
    return name.getBytes(US_ASCII);
  }

  /** Where the rows end that begin with the kind and the name. */
  static byte[] after(byte kind, String name) {
    return of(kind).putAscii(name).putByte((byte) 1).end();
  }

  /** The name that begins at a place in a key. */
  static String name(byte[] key, int from) {
    int end = from;
    while (end < key.length && key[end] != 0) {
      end++;
    }
    return new String(key, from, end - from, US_ASCII);
  }
}
