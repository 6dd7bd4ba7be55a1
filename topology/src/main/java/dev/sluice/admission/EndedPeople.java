package dev.sluice.admission;

/**
 * Those whose stay has ended and isn't forgotten yet: the last one of each person by (room,
 * requestId), and the order in which they ended. Written by the machine's thread alone; {@link
 * #find} may be called by any.
 */
public interface EndedPeople {
  /** There is none. */
  long NONE = Long.MAX_VALUE;

  /**
   * Keeps an ended stay, and puts it last in the order of forgetting. It takes the place of an
   * earlier one of the same person. Stays come in the order of {@link Person#endedAt}.
   */
  void add(Person ended);

  /** The last ended stay of this person, or null. */
  Person find(String roomId, String requestId);

  /** {@link Person#endedAt} of the one that ended first, or {@link #NONE}. */
  long oldestEndedAt();

  /**
   * Takes the one that ended first out of the order, and forgets it unless a later stay has taken
   * its place (which shows by another ticket).
   *
   * @return its room
   * @throws java.util.NoSuchElementException if there is none
   */
  String forgetOldest();

  /** Whether anyone of this room is kept. For the machine's thread. */
  boolean hasAnyOf(String roomId);
}
