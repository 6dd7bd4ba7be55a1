package dev.sluice.contract;

/**
 * A record of {@code sluice.outcomes}: what a command changed. Keyed by {@code roomId}, in the
 * partition of the command.
 */
public sealed interface Outcome {
  String roomId();

  Version version();

  /** When it took effect: milliseconds since the epoch, by the partition's append times. */
  long at();

  /**
   * A person's place changed.
   *
   * @param session hash of the owning session
   * @param expiresAt end of an ADMITTED place if not renewed, milliseconds since the epoch; else 0
   * @param reason why an EXPIRED place ended: {@code TIMEOUT}, {@code MAX_SESSION}, {@code CLOSED};
   *     else null
   * @param receipt of the entry that counts
   */
  record PersonChanged(
      String roomId,
      String requestId,
      String session,
      PersonStatus status,
      long ticket,
      long expiresAt,
      String reason,
      Receipt receipt,
      Version version,
      long at)
      implements Outcome {}

  /**
   * A command changed nothing.
   *
   * @param roomId as in the command; null when the record could not be read that far
   * @param requestId as in the command, or null
   */
  record Rejected(
      String roomId, String requestId, Reason reason, String detail, Version version, long at)
      implements Outcome {
    /** Why a command was rejected. */
    public enum Reason {
      /** The record is malformed, of unknown type or version, or in the wrong partition. */
      INVALID,
      ROOM_CLOSED,
      ROOM_DRAINING,
      /** The person belongs to another session. */
      NOT_YOURS,
      /** The session holds as many places in the room as it may. */
      TOO_MANY_PLACES
    }
  }

  /** Queue progress: at most one a second for a room, while something changes. */
  record Progress(
      String roomId,
      int waiting,
      int active,
      int capacity,
      RoomState state,
      Version version,
      long at)
      implements Outcome {}
}
