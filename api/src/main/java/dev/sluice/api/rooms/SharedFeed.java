package dev.sluice.api.rooms;

import dev.sluice.query.FeedPage;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * What instances of the API tell each other of hot rooms, so that one reads for all. It may forget
 * anything at any time, but must never make an entry seem younger than it is. No clock is compared
 * with another: the age of an entry is what its store has let pass of its time to live, and its
 * time begins before it is read, with {@link #get}. Thread-safe; blocks nobody.
 */
public interface SharedFeed {
  /** How long the store keeps an entry, and the note of a reading that has begun. */
  long KEPT_MILLIS = 5_000;

  /**
   * Looks for the entry of a room, and notes in the same step that a reading under {@code ticket}
   * begins; the note has {@link #KEPT_MILLIS} to live.
   *
   * @param ticket an identifier of at most 64 characters, never used before
   * @return empty if there is none; a failure is taken as none
   */
  CompletableFuture<Optional<Shared>> get(String roomId, String ticket);

  /**
   * Puts what was read under {@code ticket}. The entry has as long to live as the note of its
   * ticket has left, so that its age is counted from then; without the note, or with one that has
   * less left than the present entry, nothing is put. Returns at once; what goes wrong is nobody's
   * loss.
   */
  void put(String roomId, String ticket, Reading reading);

  /**
   * An entry.
   *
   * @param ageMillis what has passed of {@link #KEPT_MILLIS}, rounded up
   */
  record Shared(Reading reading, long ageMillis) {}

  /**
   * What one reading of the store gave.
   *
   * @param after the cursor that {@code page} begins after
   * @param reflects the cursor up to which the page reflects the log, at least
   */
  record Reading(long after, long reflects, FeedPage page) {
    /** Whether the page has the first of what was said after a cursor, or shows there is none. */
    boolean covers(long cursor) {
      return cursor == after || (cursor > after && (!page.more() || cursor < page.cursor()));
    }
  }
}
