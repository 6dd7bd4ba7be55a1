package dev.sluice.admission;

import dev.sluice.contract.AcceptedSetting;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A key-value store for a state, on the heap. */
final class KeptState implements Changes, RestingRooms {
  private record Name(String roomId, long number) implements Comparable<Name> {
    @Override
    public int compareTo(Name other) {
      int byRoom = roomId.compareTo(other.roomId);
      return byRoom != 0 ? byRoom : Long.compare(number, other.number);
    }
  }

  private final Map<String, AcceptedSetting> settings = new TreeMap<>();
  private final Map<String, RoomRecord> rooms = new TreeMap<>();
  private final Map<String, RoomRecord> resting = new TreeMap<>();
  private final Map<Name, long[]> leaves = new TreeMap<>();
  private final Map<Name, List<Person>> entrants = new TreeMap<>();
  private final Map<Name, Person> active = new TreeMap<>();
  private PartitionRecord partition = PartitionRecord.FRESH;

  /** Rebuilds a state from all that is kept. */
  AdmissionState restore(int number, EndedPeople ended) {
    StateRestore restore = new StateRestore(number, ended, this);
    active.forEach((name, person) -> restore.active(name.roomId(), name.number(), person));
    entrants.forEach((name, people) -> restore.entrants(name.roomId(), name.number(), people));
    restore.partition(partition);
    rooms.values().forEach(restore::room);
    settings.values().forEach(restore::setting);
    leaves.forEach((name, words) -> restore.waitingLeaf(name.roomId(), name.number(), words));
    return restore.finish();
  }

  @Override
  public void partition(PartitionRecord record) {
    partition = record;
  }

  @Override
  public void setting(AcceptedSetting setting) {
    settings.put(setting.key() + "@" + setting.roomId(), setting);
  }

  @Override
  public void room(RoomRecord room) {
    rooms.put(room.roomId(), room);
  }

  @Override
  public void resting(RoomRecord room) {
    rooms.remove(room.roomId());
    resting.put(room.roomId(), room);
  }

  @Override
  public RoomRecord find(String roomId) {
    return resting.get(roomId);
  }

  @Override
  public void waitingLeaf(String roomId, long number, long[] words) {
    put(leaves, roomId, number, words);
  }

  @Override
  public void entrants(String roomId, long number, List<Person> waiting) {
    put(entrants, roomId, number, waiting);
  }

  @Override
  public void active(String roomId, long ticket, Person person) {
    put(active, roomId, ticket, person);
  }

  private static <T> void put(Map<Name, T> kept, String roomId, long number, T value) {
    Name name = new Name(roomId, number);
    if (value == null) {
      kept.remove(name);
    } else {
      kept.put(name, value);
    }
  }
}
