package dev.sluice.hot;

import dev.sluice.contract.HotVerdict;

/**
 * A part of a room's events that has a threshold.
 *
 * @param name of the country or app, null for the whole room
 */
record Slice(Dimension dimension, String name) {
  static final Slice ROOM = new Slice(Dimension.ROOM, null);

  enum Dimension {
    ROOM,
    COUNTRY,
    APP
  }

  /** As a verdict names it: {@code room}, {@code country=KR}, {@code app=ios}. */
  @Override
  public String toString() {
    return switch (dimension) {
      case ROOM -> HotVerdict.ROOM;
      case COUNTRY -> "country=" + name;
      case APP -> "app=" + name;
    };
  }
}
