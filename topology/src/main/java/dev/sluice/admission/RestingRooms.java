package dev.sluice.admission;

/**
 * The rooms in which nobody is remembered any more. What they go on with when entered again is
 * kept, but not in memory, which holds the rooms in use alone. Any thread may ask.
 */
public interface RestingRooms {
  /** There is none. */
  RestingRooms NONE = roomId -> null;

  /** The room as it came to rest, or null if it never was entered. */
  RoomRecord find(String roomId);
}
