package dev.sluice.bench.hot;

import java.util.stream.IntStream;

/** Names of rooms. */
final class Rooms {
  private Rooms() {}

  static String[] named(int count) {
    return IntStream.range(0, count).mapToObj(i -> "room-" + i).toArray(String[]::new);
  }
}
