package dev.sluice.contract;

/**
 * A room is hot.
 *
 * @param because the slice that is over its threshold: {@code room}, {@code country=KR} or {@code
 *     app=ios}; while a room cools, the one that was last
 * @param rate events of that slice in its window
 * @param threshold above which the slice is hot
 * @param windowSeconds over which it is counted
 * @param since when it became hot, milliseconds since the epoch
 * @param at when this was judged, milliseconds since the epoch
 */
public record HotVerdict(
    String roomId,
    String because,
    long rate,
    long threshold,
    int windowSeconds,
    long since,
    long at) {
  /** {@link #because} of the room as a whole. */
  public static final String ROOM = "room";
}
