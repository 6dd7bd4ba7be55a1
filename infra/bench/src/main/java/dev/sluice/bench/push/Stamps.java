package dev.sluice.bench.push;

import static java.nio.charset.StandardCharsets.US_ASCII;

/** Finds the moment at which a message was sent, in the message. */
final class Stamps {
  private Stamps() {}

  /**
   * The whole number that follows {@code key}.
   *
   * @param key such as {@code "reason":"} in ASCII
   * @throws IllegalArgumentException if it isn't there
   */
  static long find(byte[] frame, int start, int end, byte[] key) {
    for (int i = start; i < end - key.length; i++) {
      if (matches(frame, i, key)) {
        long number = 0;
        for (int j = i + key.length; j < end && frame[j] >= '0' && frame[j] <= '9'; j++) {
          number = number * 10 + frame[j] - '0';
        }
        return number;
      }
    }
    throw new IllegalArgumentException(new String(frame, start, end - start, US_ASCII));
  }

  private static boolean matches(byte[] frame, int at, byte[] key) {
    for (int i = 0; i < key.length; i++) {
      if (frame[at + i] != key[i]) {
        return false;
      }
    }
    return true;
  }
}
