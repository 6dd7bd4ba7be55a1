package dev.sluice.notifier.stomp;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;

/** Text in UTF-8, encoded once and shared by all who get it. Immutable. */
public final class Encoded {
  private final byte[] bytes;

  private Encoded(byte[] bytes) {
    this.bytes = bytes;
  }

  public static Encoded of(String text) {
    return new Encoded(text.getBytes(UTF_8));
  }

  /**
   * @param bytes the caller's no more
   */
  public static Encoded owning(byte[] bytes) {
    return new Encoded(bytes);
  }

  /** In bytes. */
  public int size() {
    return bytes.length;
  }

  /** Copies all to {@code target}, from {@code at} on; where it ends there. */
  int copyTo(byte[] target, int at) {
    System.arraycopy(bytes, 0, target, at, bytes.length);
    return at + bytes.length;
  }

  /** The bytes, to be read only. */
  public ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }

  @Override
  public String toString() {
    return new String(bytes, UTF_8);
  }
}
