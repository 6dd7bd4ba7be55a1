package dev.sluice.rooms;

import dev.sluice.streams.BinaryReader;

/** The number with which each kept value begins; a new format's reader ships before its writer. */
final class Formats {
  private Formats() {}

  static BinaryReader begin(byte[] value, int known) {
    BinaryReader from = new BinaryReader(value);
    int format = from.getInt();
    if (format != known) {
      throw new IllegalStateException(
          "The store holds a row of format %d, this program reads %d".formatted(format, known));
    }
    return from;
  }
}
