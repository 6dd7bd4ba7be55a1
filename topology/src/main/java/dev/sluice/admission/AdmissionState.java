package dev.sluice.admission;

import dev.sluice.contract.AcceptedSetting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * All that is known of one partition: rooms, the people in them, the settings in force. Changed by
 * its {@link AdmissionMachine} alone; read through an {@link AdmissionReader} by any thread.
 */
public final class AdmissionState {
  private final int partition;
  private final EndedPeople ended;
  private final RestingRooms resting;
  private final Map<String, Room> rooms = new ConcurrentHashMap<>();
  private final Agenda agenda = new Agenda();

  private PartitionRecord record;
  private AdmissionSettings settings;
  private long living;

  private final Set<Room> dirtyRooms = new LinkedHashSet<>();
  private final List<AcceptedSetting> dirtySettings = new ArrayList<>();

  private volatile PartitionSnapshot snapshot;

  /** The state before the first command of the log. */
  public AdmissionState(int partition, EndedPeople ended, RestingRooms resting) {
    this(partition, ended, resting, PartitionRecord.FRESH, AdmissionSettings.NONE);
  }

  AdmissionState(
      int partition,
      EndedPeople ended,
      RestingRooms resting,
      PartitionRecord record,
      AdmissionSettings settings) {
    this.partition = partition;
    this.ended = ended;
    this.resting = resting;
    this.record = record;
    this.settings = settings;
    this.snapshot = new PartitionSnapshot(record, settings);
  }

  public int partition() {
    return partition;
  }

  /** Offset of the last command applied, -1 for none. Any thread may ask. */
  public long appliedOffset() {
    return snapshot.appliedOffset();
  }

  /** People waiting or active in all rooms. For the machine's thread. */
  public long living() {
    return living;
  }

  /** What is known of the partition as a whole, after the last command. Any thread may ask. */
  public PartitionRecord partitionRecord() {
    return snapshot.record();
  }

  /**
   * Hands over what has changed since the last call. For the machine's thread, between commands.
   */
  public void drainTo(Changes changes) {
    dirtySettings.forEach(changes::setting);
    dirtySettings.clear();
    dirtyRooms.removeIf(room -> drain(room, changes));
    changes.partition(record);
  }

  /** Whether all is said of the room until it changes again. */
  private boolean drain(Room room, Changes changes) {
    room.drainTo(changes);
    if (room.isOccupied() || ended.hasAnyOf(room.id())) {
      return true;
    }
    boolean canRest = room.canRest(record.time());
    if (canRest) {
      changes.resting(room.record());
      rooms.remove(room.id());
    }
    return canRest;
  }

  /** The state after the last command. Any thread may ask. */
  PartitionSnapshot snapshot() {
    return snapshot;
  }

  /** Any thread may ask. */
  EndedPeople ended() {
    return ended;
  }

  /** Any thread may ask. */
  RestingRooms resting() {
    return resting;
  }

  /** The room, or null if nobody is remembered in it. Any thread may ask. */
  Room room(String roomId) {
    return rooms.get(roomId);
  }

  /** All rooms in which anybody is remembered, in no order. Any thread may ask. */
  Collection<Room> rooms() {
    return Collections.unmodifiableCollection(rooms.values());
  }

  PartitionRecord record() {
    return record;
  }

  AdmissionSettings settings() {
    return settings;
  }

  Agenda agenda() {
    return agenda;
  }

  /** The room, made if nobody is remembered in it. */
  Room openRoom(String roomId) {
    return rooms.computeIfAbsent(
        roomId,
        id -> {
          RoomRecord kept = resting.find(id);
          return kept == null
              ? new Room(id, settings.of(id))
              : new Room(kept, settings.of(id), RankIndex.empty(), List.of());
        });
  }

  /** Puts a room in that was kept. */
  void restoreRoom(RoomRecord kept, RankIndex waiting, List<Person> live) {
    Room room = new Room(kept, settings.of(kept.roomId()), waiting, live);
    rooms.put(room.id(), room);
    room.publish(record.appliedOffset());
    agenda.place(room, record.configured());
    living += live.size();
  }

  /** A person began or ended a stay. */
  void addLiving(int people) {
    living += people;
  }

  void configure(AdmissionSettings changed, List<AcceptedSetting> taken) {
    settings = changed;
    dirtySettings.addAll(taken);
  }

  /** Notes that a room has changed: what is due in it, and that it must be kept. */
  void changed(Room room) {
    agenda.place(room, record.configured());
    dirtyRooms.add(room);
  }

  void setRecord(PartitionRecord changed) {
    record = changed;
  }

  /** Shows the state to readers; the rooms that changed must have been published before. */
  void publish() {
    snapshot = new PartitionSnapshot(record, settings);
  }
}
