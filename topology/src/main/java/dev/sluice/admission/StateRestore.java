package dev.sluice.admission;

import dev.sluice.contract.AcceptedSetting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Rebuilds an {@link AdmissionState} from what was kept of it, given in any order. */
public final class StateRestore implements Changes {
  private final int partition;
  private final EndedPeople ended;
  private final RestingRooms resting;
  private final List<AcceptedSetting> settings = new ArrayList<>();
  private final Map<String, Parts> rooms = new HashMap<>();
  private PartitionRecord record = PartitionRecord.FRESH;

  private static final class Parts {
    RoomRecord record;
    RankIndex waiting = RankIndex.empty();
    final List<Person> entrants = new ArrayList<>();
    final List<Person> live = new ArrayList<>();
  }

  public StateRestore(int partition, EndedPeople ended, RestingRooms resting) {
    this.partition = partition;
    this.ended = ended;
    this.resting = resting;
  }

  @Override
  public void partition(PartitionRecord kept) {
    record = kept;
  }

  @Override
  public void setting(AcceptedSetting setting) {
    settings.add(setting);
  }

  @Override
  public void room(RoomRecord kept) {
    parts(kept.roomId()).record = kept;
  }

  /** Nothing is restored of it: whoever enters the room asks {@link RestingRooms}. */
  @Override
  public void resting(RoomRecord room) {}

  @Override
  public void waitingLeaf(String roomId, long number, long[] words) {
    Parts parts = parts(roomId);
    parts.waiting = parts.waiting.withLeaf(number, words);
  }

  @Override
  public void entrants(String roomId, long number, List<Person> waiting) {
    parts(roomId).entrants.addAll(waiting);
  }

  @Override
  public void active(String roomId, long ticket, Person person) {
    parts(roomId).live.add(person);
  }

  /**
   * The state, as new as what was kept; nothing of it counts as changed.
   *
   * @throws IllegalStateException if the parts don't fit each other
   */
  public AdmissionState finish() {
    AdmissionSettings inForce = AdmissionSettings.NONE.with(settings, taken -> {});
    AdmissionState state = new AdmissionState(partition, ended, resting, record, inForce);
    rooms.forEach((roomId, parts) -> restore(state, roomId, parts));
    return state;
  }

  private static void restore(AdmissionState state, String roomId, Parts parts) {
    if (parts.record == null) {
      throw new IllegalStateException("people are kept of room " + roomId + ", but no room");
    }
    int active = parts.live.size();
    for (Person entrant : parts.entrants) {
      if (parts.waiting.contains(entrant.ticket())) {
        parts.live.add(entrant);
      }
    }
    int waiting = parts.live.size() - active;
    if (waiting != parts.waiting.size()) {
      throw new IllegalStateException(
          "in room %s %d people are to wait, of whom %d are kept"
              .formatted(roomId, parts.waiting.size(), waiting));
    }
    state.restoreRoom(parts.record, parts.waiting, parts.live);
  }

  private Parts parts(String roomId) {
    return rooms.computeIfAbsent(roomId, id -> new Parts());
  }
}
