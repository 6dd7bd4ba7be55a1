package dev.sluice.query;

import java.util.List;

/**
 * Part of what was said in a room, oldest first.
 *
 * @param cursor of the last event that the reader has now seen: the last of these, or where the
 *     reader stood. -1: nothing has ever been said
 * @param more whether there are events after these
 */
public record FeedPage(List<FeedEvent> events, long cursor, boolean more) {
  public FeedPage {
    events = List.copyOf(events);
  }

  /**
   * One event.
   *
   * @param cursor its offset in the room's partition of {@code sluice.room-events}
   * @param at when it was appended, milliseconds since the epoch
   * @param value of its record, the JSON of {@link dev.sluice.contract.RoomEventJson}; not to be
   *     changed
   */
  @SuppressWarnings("ArrayRecordComponent") // handed on as it was stored
  public record FeedEvent(long cursor, long at, byte[] value) {}
}
