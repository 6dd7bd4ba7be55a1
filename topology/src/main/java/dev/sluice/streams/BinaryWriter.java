package dev.sluice.streams;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes stored records: whole numbers as variable-length integers (zig-zag, so that small negative
 * ones are short too), texts as UTF-8 behind their length plus one, null as length zero. Reused by
 * one thread.
 */
public final class BinaryWriter {
  private byte[] bytes;
  private int length;

  public BinaryWriter() {
    this(8192);
  }

  /**
   * @param capacity with which it begins; it grows
   */
  public BinaryWriter(int capacity) {
    bytes = new byte[capacity];
  }

  /** Starts a new record. */
  public BinaryWriter begin() {
    length = 0;
    return this;
  }

  public BinaryWriter put(long value) {
    ensure(10);
    long rest = (value << 1) ^ (value >> 63);
    while ((rest & ~0x7FL) != 0) {
      bytes[length++] = (byte) ((rest & 0x7F) | 0x80);
      rest >>>= 7;
    }
    bytes[length++] = (byte) rest;
    return this;
  }

  public BinaryWriter put(boolean value) {
    return put(value ? 1 : 0);
  }

  public BinaryWriter putFixed(long value) {
    ensure(Long.BYTES);
    for (int shift = 56; shift >= 0; shift -= 8) {
      bytes[length++] = (byte) (value >>> shift);
    }
    return this;
  }

  public BinaryWriter put(String text) {
    if (text == null) {
      return put(0);
    }
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    put(utf8.length + 1L);
    return putRaw(utf8);
  }

  public BinaryWriter putByte(byte value) {
    ensure(1);
    bytes[length++] = value;
    return this;
  }

  /** Identifiers and setting names, of which no character is above 127. */
  public BinaryWriter putAscii(String text) {
    ensure(text.length());
    for (int i = 0; i < text.length(); i++) {
      bytes[length++] = (byte) text.charAt(i);
    }
    return this;
  }

  /** Bytes as they are; their length is the reader's affair. */
  public BinaryWriter putRaw(byte[] raw) {
    ensure(raw.length);
    System.arraycopy(raw, 0, bytes, length, raw.length);
    length += raw.length;
    return this;
  }

  public byte[] end() {
    return Arrays.copyOf(bytes, length);
  }

  private void ensure(int more) {
    if (bytes.length - length < more) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
    }
  }
}
