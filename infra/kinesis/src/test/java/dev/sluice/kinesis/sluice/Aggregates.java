package dev.sluice.kinesis.sluice;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;

/** Packs records into one, as producer libraries do. */
public final class Aggregates {
  private Aggregates() {}

  /** Each under a key of its own: {@code key-0}, {@code key-1} and so on. */
  public static byte[] of(List<byte[]> records) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < records.size(); i++) {
      bytes(out, 1, ("key-" + i).getBytes(UTF_8));
    }
    // Explicit hash keys, which nobody here looks at.
    bytes(out, 2, "1".getBytes(UTF_8));
    for (int i = 0; i < records.size(); i++) {
      bytes(out, 3, record(i, records.get(i)));
    }
    return sealed(out.toByteArray());
  }

  /** A record's message, with tags. */
  static byte[] record(long keyIndex, byte[] data) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    number(out, 1, keyIndex);
    number(out, 2, 0);
    bytes(out, 3, data);
    bytes(out, 4, new byte[] {0x0a, 1, 'k', 0x12, 1, 'v'});
    return out.toByteArray();
  }

  static void number(ByteArrayOutputStream out, int field, long number) {
    varint(out, field << 3);
    varint(out, number);
  }

  static void bytes(ByteArrayOutputStream out, int field, byte[] bytes) {
    varint(out, (field << 3) | 2);
    varint(out, bytes.length);
    out.writeBytes(bytes);
  }

  static void varint(ByteArrayOutputStream out, long number) {
    long rest = number;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  /** A message between its magic and its digest. */
  static byte[] sealed(byte[] message) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(new byte[] {(byte) 0xF3, (byte) 0x89, (byte) 0x9A, (byte) 0xC2});
    out.writeBytes(message);
    try {
      out.writeBytes(MessageDigest.getInstance("MD5").digest(message));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    return out.toByteArray();
  }
}
