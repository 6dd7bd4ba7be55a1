package dev.sluice.streams;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads what {@link BinaryWriter} wrote. */
public final class BinaryReader {
  private final byte[] bytes;
  private int position;

  public BinaryReader(byte[] bytes, int from) {
    this.bytes = bytes;
    this.position = from;
  }

  public BinaryReader(byte[] bytes) {
    this(bytes, 0);
  }

  public long getLong() {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = bytes[position++];
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return (value >>> 1) ^ -(value & 1);
      }
    }
  }

  public int getInt() {
    return Math.toIntExact(getLong());
  }

  public boolean getBoolean() {
    return getLong() != 0;
  }

  public long getFixed() {
    long value = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      value = value << 8 | (bytes[position++] & 0xFF);
    }
    return value;
  }

  public String getText() {
    int length = getInt() - 1;
    if (length < 0) {
      return null;
    }
    String text = new String(bytes, position, length, StandardCharsets.UTF_8);
    position += length;
    return text;
  }

  /** The next {@code length} bytes as they are. */
  public byte[] getRaw(int length) {
    if (length > bytes.length - position) {
      throw new IndexOutOfBoundsException(length);
    }
    byte[] raw = Arrays.copyOfRange(bytes, position, position + length);
    position += length;
    return raw;
  }

  /** All that is left. */
  public byte[] getRest() {
    byte[] rest = Arrays.copyOfRange(bytes, position, bytes.length);
    position = bytes.length;
    return rest;
  }
}
