package dev.sluice.admission;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * The rooms of a partition by when something is next due in them, and by name among equals; and
 * those that are being closed, by name. For one thread.
 */
final class Agenda {
  private record Entry(long due, Room room) {}

  private final TreeSet<Entry> entries =
      new TreeSet<>(Comparator.comparingLong(Entry::due).thenComparing(entry -> entry.room().id()));
  private final Map<Room, Entry> byRoom = new HashMap<>();
  private final TreeSet<Room> closing = new TreeSet<>(Comparator.comparing(Room::id));

  /** When anything is due first, or {@link Room#NEVER}. */
  long due() {
    return closing.isEmpty() ? timedDue() : 0;
  }

  /** The room whose next due is the first and not after {@code limit}, or null. */
  Room firstDueBy(long limit) {
    return timedDue() <= limit ? entries.first().room() : null;
  }

  /** The first of the rooms that are being closed, or null. */
  Room firstClosing() {
    return closing.isEmpty() ? null : closing.first();
  }

  /** Puts a room that may have changed in its place. */
  void place(Room room, boolean configured) {
    long due = room.due(configured);
    Entry before = byRoom.get(room);
    if (before == null || before.due() != due) {
      if (before != null) {
        entries.remove(before);
        byRoom.remove(room);
      }
      if (due != Room.NEVER) {
        Entry entry = new Entry(due, room);
        entries.add(entry);
        byRoom.put(room, entry);
      }
    }
    if (room.isClosing()) {
      closing.add(room);
    } else if (!closing.isEmpty()) {
      closing.remove(room);
    }
  }

  private long timedDue() {
    return entries.isEmpty() ? Room.NEVER : entries.first().due();
  }
}
