package dev.sluice.query;

import dev.sluice.contract.HotVerdict;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How busy a room is, in the moment of asking.
 *
 * @param verdict present while the room is hot, else null
 * @param rate events in the window, the number that is held against the threshold
 * @param demand what {@code rate} would be if the room were not calmed; never below it
 * @param threshold above which the room is hot
 * @param windowSeconds over which {@code rate} is counted
 * @param audience connections subscribed to the room, of all notifiers
 * @param byCountry parts of {@code rate}; events without a country are in none
 * @param byApp parts of {@code rate}; events without an app are in none
 */
public record RoomHeat(
    String roomId,
    HotVerdict verdict,
    long rate,
    long demand,
    long threshold,
    int windowSeconds,
    long audience,
    SortedMap<String, Slice> byCountry,
    SortedMap<String, Slice> byApp) {
  public RoomHeat {
    byCountry = new TreeMap<>(byCountry);
    byApp = new TreeMap<>(byApp);
  }

  /**
   * A part of a room's events.
   *
   * @param rate events in the slice's own window
   * @param threshold of the slice, 0 when it has none of its own
   */
  public record Slice(long rate, long threshold) {}

  public boolean isHot() {
    return verdict != null;
  }
}
