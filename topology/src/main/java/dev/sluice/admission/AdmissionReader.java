package dev.sluice.admission;

import dev.sluice.query.PersonView;
import dev.sluice.query.RoomView;
import dev.sluice.query.WaitingSnapshot;
import java.util.List;
import java.util.Optional;

/**
 * Reads an {@link AdmissionState} while its machine works, without holding it up. Thread-safe.
 *
 * <p>An answer is at least as new as {@link AdmissionState#appliedOffset} before the call, and
 * shows a room as it was between two commands. {@code now} is the reader's time of day in
 * milliseconds; it only moves estimates on.
 */
public final class AdmissionReader {
  public AdmissionReader(AdmissionState state) {
    state.appliedOffset();
  }

  /** The person, live or ended; empty if never entered or forgotten. */
  public Optional<PersonView> person(String roomId, String requestId, long now) {
    return Optional.empty();
  }

  /** Everyone called {@code requestId}, in whatever room, ordered by room. */
  public List<PersonView> people(String requestId, long now) {
    return List.of();
  }

  /** The room; one that nobody entered has its settings and nobody in it. */
  public RoomView room(String roomId, long now) {
    return null;
  }

  /** Who waits in the room and in which order. */
  public WaitingSnapshot waiting(String roomId, long now) {
    return null;
  }

  /** The rooms that have anyone in them, ordered by their names. */
  public List<RoomView> occupiedRooms(long now) {
    return List.of();
  }
}
