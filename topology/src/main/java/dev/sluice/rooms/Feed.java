package dev.sluice.rooms;

import dev.sluice.query.FeedPage;
import dev.sluice.query.FeedPage.FeedEvent;
import dev.sluice.streams.BinaryReader;
import dev.sluice.streams.BinaryWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What was said last in the rooms of a partition, for fetching. Of each room the newest events are
 * kept, bounded by number, age and bytes. An event added again replaces itself.
 *
 * <p>Each event is a row of its own; another row of the room says which there are. The heap holds
 * the rooms touched since the last write but one and the events not yet written, both bounded. One
 * thread adds and writes; any thread reads, under a lock that is held for no look into the store.
 */
public final class Feed {
  /** Most bytes kept of a room. */
  public static final int MAX_BYTES = 1 << 20;

  /** Most events known in the heap, of all rooms. */
  static final int MAX_KNOWN = 50_000;

  /** Most bytes in the heap that aren't written. */
  static final int MAX_UNWRITTEN_BYTES = 8 << 20;

  private static final int FORMAT = 1;
  private static final int MAX_SWEPT = 250;
  private static final long NOT_DUE = -1;

  private final KeptRows kept;
  private final Function<String, Limits> limits;
  private final DueRows due;
  private final BinaryWriter values = new BinaryWriter();

  private final Object lock = new Object();
  private final Map<String, Room> rooms = new LinkedHashMap<>();
  private volatile long now;
  private int known;
  private long unwrittenBytes;

  /**
   * How much of a room is kept.
   *
   * @param events the newest, from 0
   * @param millis how old at most
   */
  public record Limits(int events, long millis) {}

  private static final class Known {
    private final long offset;
    private final long at;
    private final int size;

    /** Null once it is written. */
    private byte[] value;

    Known(long offset, long at, int size, byte[] value) {
      this.offset = offset;
      this.at = at;
      this.size = size;
      this.value = value;
    }
  }

  private static final class Room {
    private final Deque<Known> events = new ArrayDeque<>();
    private final List<Long> gone = new ArrayList<>();
    private long last = -1;
    private long bytes;
    private long dueSecond = NOT_DUE;
    private boolean changed;
    private boolean touched;
  }

  /**
   * @param limits of a room, now; asked by any thread
   */
  public Feed(KeptRows kept, Function<String, Limits> limits) {
    this.kept = kept;
    this.limits = limits;
    this.due = new DueRows(kept, RowKeys.FEEDS_DUE);
  }

  /** From now on events are as old as they are at {@code time}, in the time of their appends. */
  public void at(long time) {
    now = time;
  }

  /**
   * Adds an event.
   *
   * @param at when it was appended
   * @param value of its record
   */
  public void add(String roomId, long offset, long at, byte[] value) {
    Limits limit = limits.apply(roomId);
    Room room = room(roomId);
    synchronized (lock) {
      room.touched = true;
      if (offset > room.last) {
        room.last = offset;
        room.changed = true;
        if (value.length <= MAX_BYTES) {
          room.events.add(new Known(offset, at, value.length, value));
          room.bytes += value.length;
          known++;
          unwrittenBytes += value.length;
        }
      } else {
        addAgain(room, offset, value);
      }
      trim(room, limit);
    }
    if (known > MAX_KNOWN || unwrittenBytes > MAX_UNWRITTEN_BYTES) {
      writeChanged();
      synchronized (lock) {
        rooms.clear();
        known = 0;
      }
    }
  }

  /** The row of the room may have come back from a crash without that of the event. */
  private void addAgain(Room room, long offset, byte[] value) {
    for (Iterator<Known> newest = room.events.descendingIterator(); newest.hasNext(); ) {
      Known event = newest.next();
      if (event.offset <= offset) {
        if (event.offset == offset && event.value == null) {
          event.value = value;
          unwrittenBytes += value.length;
          room.changed = true;
        }
        return;
      }
    }
  }

  private void trim(Room room, Limits limit) {
    while (!room.events.isEmpty() && isBeyond(room, limit)) {
      Known oldest = room.events.remove();
      room.bytes -= oldest.size;
      known--;
      if (oldest.value == null) {
        room.gone.add(oldest.offset);
      } else {
        unwrittenBytes -= oldest.size;
      }
      room.changed = true;
    }
  }

  private boolean isBeyond(Room room, Limits limit) {
    return room.events.size() > limit.events()
        || room.bytes > MAX_BYTES
        || room.events.element().at < now - limit.millis();
  }

  private Room room(String roomId) {
    Room room = rooms.get(roomId);
    if (room == null) {
      byte[] value = kept.get(RowKeys.of(RowKeys.FEED, roomId).end());
      room = value == null ? new Room() : read(value);
      synchronized (lock) {
        rooms.put(roomId, room);
        known += room.events.size();
      }
    }
    return room;
  }

  /** Puts what has changed into the store, and lets go of what is old. */
  public void write() {
    writeChanged();
    due.sweep(now / 1000, MAX_SWEPT, this::age);
    writeChanged();
    synchronized (lock) {
      rooms.values().removeIf(room -> !room.touched);
      known = 0;
      for (Room room : rooms.values()) {
        room.touched = false;
        known += room.events.size();
      }
    }
  }

  private void age(byte[] name) {
    String roomId = RowKeys.name(name, 0);
    Room room = room(roomId);
    synchronized (lock) {
      room.dueSecond = NOT_DUE;
      room.changed = true;
      trim(room, limits.apply(roomId));
    }
  }

  private void writeChanged() {
    for (Map.Entry<String, Room> entry : rooms.entrySet()) {
      if (entry.getValue().changed) {
        write(entry.getKey(), entry.getValue());
      }
    }
  }

  /** The events first, so that none is said to be there which isn't. */
  private void write(String roomId, Room room) {
    for (Known event : room.events) {
      if (event.value != null) {
        kept.put(eventKey(roomId, event.offset), event.value);
      }
    }
    byte[] name = RowKeys.of(RowKeys.FEED, roomId).end();
    if (room.events.isEmpty()) {
      kept.scan(
          RowKeys.of(RowKeys.EVENT, roomId).end(),
          RowKeys.after(RowKeys.EVENT, roomId),
          (key, value) -> {
            kept.delete(key);
            return true;
          });
      kept.delete(name);
    } else {
      if (room.dueSecond == NOT_DUE) {
        room.dueSecond = (room.events.getLast().at + limits.apply(roomId).millis()) / 1000 + 1;
        due.put(room.dueSecond, RowKeys.nameOnly(roomId));
      }
      kept.put(name, encode(room));
      for (long offset : room.gone) {
        kept.delete(eventKey(roomId, offset));
      }
    }
    synchronized (lock) {
      room.gone.clear();
      room.changed = false;
      for (Known event : room.events) {
        if (event.value != null) {
          event.value = null;
          unwrittenBytes -= event.size;
        }
      }
    }
  }

  /**
   * Events after a cursor, oldest first. Any thread.
   *
   * @param after offset, -1 for the beginning
   * @param limit most of them; 0: none, only the cursor of the newest
   */
  public FeedPage page(String roomId, long after, int limit) {
    if (limit == 0) {
      List<FeedEvent> all = page(roomId, after, Integer.MAX_VALUE - 1).events();
      long newest = all.isEmpty() ? after : all.get(all.size() - 1).cursor();
      return new FeedPage(List.of(), newest, false);
    }
    long oldest = now - limits.apply(roomId).millis();
    List<Known> some = null;
    synchronized (lock) {
      Room room = rooms.get(roomId);
      if (room != null) {
        some = after(room, after, oldest, limit);
      }
    }
    if (some == null) {
      byte[] value = kept.get(RowKeys.of(RowKeys.FEED, roomId).end());
      some = value == null ? List.of() : after(read(value), after, oldest, limit);
    }
    List<FeedEvent> events = new ArrayList<>();
    for (Known event : some.subList(0, Math.min(some.size(), limit))) {
      byte[] value = event.value != null ? event.value : kept.get(eventKey(roomId, event.offset));
      // Null if it has been dropped just now.
      if (value != null) {
        events.add(new FeedEvent(event.offset, event.at, value));
      }
    }
    long cursor = events.isEmpty() ? after : events.get(events.size() - 1).cursor();
    return new FeedPage(events, cursor, some.size() > limit);
  }

  /** One more than the limit, if there are; copies, since the others change. */
  private static List<Known> after(Room room, long after, long oldest, int limit) {
    List<Known> found = new ArrayList<>();
    for (Known event : room.events) {
      if (event.offset > after && event.at >= oldest) {
        found.add(new Known(event.offset, event.at, event.size, event.value));
        if (found.size() > limit) {
          break;
        }
      }
    }
    return found;
  }

  int knownInHeap() {
    return known;
  }

  private static byte[] eventKey(String roomId, long offset) {
    return RowKeys.of(RowKeys.EVENT, roomId).putFixed(offset).end();
  }

  private byte[] encode(Room room) {
    values.begin().put(FORMAT).put(room.last).put(room.dueSecond).put(room.events.size());
    long offset = 0;
    long at = 0;
    for (Known event : room.events) {
      values.put(event.offset - offset).put(event.at - at).put(event.size);
      offset = event.offset;
      at = event.at;
    }
    return values.end();
  }

  private static Room read(byte[] value) {
    BinaryReader from = Formats.begin(value, FORMAT);
    Room room = new Room();
    room.last = from.getLong();
    room.dueSecond = from.getLong();
    int size = from.getInt();
    long offset = 0;
    long at = 0;
    for (int i = 0; i < size; i++) {
      offset += from.getLong();
      at += from.getLong();
      Known event = new Known(offset, at, from.getInt(), null);
      room.events.add(event);
      room.bytes += event.size;
    }
    return room;
  }
}
