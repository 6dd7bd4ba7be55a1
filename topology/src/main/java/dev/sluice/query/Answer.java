package dev.sluice.query;

/**
 * What a command did, as told to the caller who awaits its offset.
 *
 * @param person the person it was about, after it; null when it was about none, or none is known
 * @param detail words for a person to read when rejected, else null
 */
public record Answer(int partition, long offset, Result result, PersonView person, String detail) {
  /** How a command ended. */
  public enum Result {
    /** Done, or it was so already; for a command of nobody: applied. */
    DONE,
    /**
     * The ticket isn't that of the person's present place, or the place isn't of the kind asked.
     */
    NOT_THAT_PLACE,
    /** Nobody of that name in that room. */
    UNKNOWN_PERSON,
    ROOM_CLOSED,
    ROOM_DRAINING,
    NOT_YOURS,
    TOO_MANY_PLACES,
    /** The record itself was invalid and has been dead-lettered. */
    INVALID
  }
}
