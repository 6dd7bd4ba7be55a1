package dev.sluice.contract;

/** What is said of a room in {@code sluice.room-counts}. */
public sealed interface RoomCount permits RoomSum, Audience {
  /** The key of the record. */
  String roomId();

  /** This incarnation of whoever says it. */
  String producer();
}
