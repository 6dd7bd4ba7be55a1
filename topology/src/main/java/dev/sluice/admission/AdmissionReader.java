package dev.sluice.admission;

import dev.sluice.query.PersonView;
import dev.sluice.query.QueryException;
import dev.sluice.query.RoomView;
import dev.sluice.query.WaitingSnapshot;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads an {@link AdmissionState} while its machine works, without holding it up. Thread-safe.
 *
 * <p>An answer is at least as new as {@link AdmissionState#appliedOffset} before the call, and
 * shows a room as it was between two commands. {@code now} is the reader's time of day in
 * milliseconds; it only moves estimates on.
 */
public final class AdmissionReader {
  /** Looks until a command is taken to have been left half done: half a second and more. */
  private static final int MOST_LOOKS = 10_000;

  /** Looks in quick succession, since most commands take microseconds. */
  private static final int QUICK_LOOKS = 100;

  private static final long PAUSE_NANOS = 50_000;

  private final AdmissionState state;

  public AdmissionReader(AdmissionState state) {
    this.state = state;
  }

  /**
   * The person, live or ended; empty if never entered or forgotten.
   *
   * @throws QueryException {@code BEHIND} if the machine has stopped in the middle of a command
   */
  public Optional<PersonView> person(String roomId, String requestId, long now) {
    PartitionSnapshot partition = state.snapshot();
    long time = partition.timeAt(now);
    Room room = state.room(roomId);
    if (room == null) {
      return Optional.empty();
    }
    for (int looks = 0; looks < MOST_LOOKS; looks++) {
      Person live = room.find(requestId);
      Person person = live != null ? live : state.ended().find(roomId, requestId);
      RoomSnapshot snapshot = room.snapshot();
      if (person == null ? room.find(requestId) == null : fits(person, snapshot)) {
        return Optional.ofNullable(person)
            .map(found -> snapshot.view(found, partition.skew(), time));
      }
      pause(looks);
    }
    throw new QueryException(
        QueryException.Kind.BEHIND, "the partition is in the middle of a command");
  }

  /**
   * Everyone called {@code requestId}, in whatever room, ordered by room.
   *
   * @throws QueryException as {@link #person}
   */
  public List<PersonView> people(String requestId, long now) {
    return state.rooms().stream()
        .map(room -> person(room.id(), requestId, now))
        .flatMap(Optional::stream)
        .sorted(Comparator.comparing(PersonView::roomId))
        .toList();
  }

  /** The room; one that nobody entered has its settings and nobody in it. */
  public RoomView room(String roomId, long now) {
    PartitionSnapshot partition = state.snapshot();
    return view(roomId, snapshot(roomId, partition), partition, now);
  }

  /** Who waits in the room and in which order. */
  public WaitingSnapshot waiting(String roomId, long now) {
    PartitionSnapshot partition = state.snapshot();
    RoomSnapshot snapshot = snapshot(roomId, partition);
    RoomView view = view(roomId, snapshot, partition, now);
    return new WaitingSnapshot(
        view, snapshot.waiting(), view.offset(), snapshot.outflowPerMinute(partition.timeAt(now)));
  }

  /** The rooms that have anyone in them, ordered by their names. */
  public List<RoomView> occupiedRooms(long now) {
    PartitionSnapshot partition = state.snapshot();
    return state.rooms().stream()
        .filter(room -> room.snapshot().isOccupied())
        .sorted(Comparator.comparing(Room::id))
        .map(room -> view(room.id(), room.snapshot(), partition, now))
        .toList();
  }

  /** Whether the room was seen with this person where they are: no rank can be told otherwise. */
  private static boolean fits(Person person, RoomSnapshot snapshot) {
    return !person.isWaiting()
        || (snapshot.offset() >= person.version().offset()
            && snapshot.waiting().contains(person.ticket()));
  }

  private static void pause(int looks) {
    if (looks < QUICK_LOOKS) {
      Thread.onSpinWait();
    } else {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private RoomSnapshot snapshot(String roomId, PartitionSnapshot partition) {
    Room room = state.room(roomId);
    if (room != null) {
      return room.snapshot();
    }
    RoomRecord resting = state.resting().find(roomId);
    return RoomSnapshot.empty(
        partition.settings().of(roomId), resting == null ? 1 : resting.nextTicket());
  }

  private RoomView view(
      String roomId, RoomSnapshot snapshot, PartitionSnapshot partition, long now) {
    return snapshot.view(roomId, state.partition(), partition, partition.timeAt(now));
  }
}
