package dev.sluice.hot.edge;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.SumMark;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;

/**
 * Counts the events of rooms by country, app, kind and tenth of a second, and gives the cumulative
 * sums out. Any thread counts; one thread calls {@link #tick} and the two flushes. Counting takes
 * no lock, waits for nobody, and loses nothing however many threads count in one room.
 *
 * <p>The number of rooms is bounded, and so is the number of cells in one: see {@link #count} and
 * {@link #reserve} for what happens beyond.
 */
public final class EdgeCounters {
  /** The app of events that came when a room had too many apps already. */
  public static final String OTHER_APP = "other";

  private static final int SECONDS = 2;
  private static final int MAX_CELLS = 256;

  /** A room that was quiet for so long is forgotten. */
  private static final long IDLE_TENTHS = 30;

  /**
   * How long a slot is looked at, once a second, after it has been replaced or its room forgotten:
   * for the thread that had it in hand. An event that is acknowledged later still is counted by
   * whoever sums the log.
   */
  private static final long LINGER_TENTHS = 20;

  private final String incarnation;
  private final int maxRooms;
  private final ToLongFunction<String> early;
  private final Runnable wake;
  private final ConcurrentHashMap<String, Room> rooms = new ConcurrentHashMap<>();
  private final AtomicInteger roomCount = new AtomicInteger();
  private final AtomicInteger generations = new AtomicInteger();
  private final Queue<Room> urgent = new ConcurrentLinkedQueue<>();
  private final Queue<Slot> replaced = new ConcurrentLinkedQueue<>();
  private final Deque<Slot> lingering = new ArrayDeque<>();
  private final LongAdder shed = new LongAdder();
  private volatile long tenth;
  private long lingeredTenth;

  /** Where one event that is being logged will be counted. */
  public interface Place {
    /** For the record's header. */
    SumMark mark();

    /** Counts the event; called once, when its record is acknowledged. */
    void count();
  }

  /**
   * @param incarnation names this counter among all that ever were; an identifier of at most 64
   *     characters
   * @param maxRooms counted at once
   * @param early how many events a room may gather before it is flushed ahead of its time, from 1
   * @param wake called, by a counting thread, when there is something for {@link #flushUrgent}
   */
  public EdgeCounters(
      String incarnation, int maxRooms, ToLongFunction<String> early, Runnable wake) {
    this.incarnation = incarnation;
    this.maxRooms = maxRooms;
    this.early = early;
    this.wake = wake;
  }

  /**
   * Says what time it is. What is counted until the next call belongs to this tenth of a second, so
   * it is called every few milliseconds.
   *
   * @param nowMillis since the epoch, by a clock that never steps
   */
  public void tick(long nowMillis) {
    tenth = Math.floorDiv(nowMillis, 1000 / RoomSum.TENTHS);
  }

  /**
   * Counts an event that isn't logged. When a room has too many apps the app becomes {@link
   * #OTHER_APP}, so that the room's total stays exact.
   *
   * @param country or null
   * @param app or null
   * @return false if there are too many rooms, and this one isn't counted
   */
  public boolean count(String roomId, EventKind kind, String country, String app) {
    Room room = room(roomId);
    if (room == null) {
      shed.increment();
      return false;
    }
    Cell cell = room.cell(kind, country, app, false);
    if (cell == null) {
      cell = room.otherCell(kind, country);
    }
    long now = tenth;
    cell.adderAt(now).increment();
    room.counted(now);
    return true;
  }

  /**
   * Finds the place of an event that is about to be logged.
   *
   * @return null if there are too many rooms or apps; whoever sums the log counts it then
   */
  public Place reserve(String roomId, EventKind kind, String country, String app) {
    Room room = room(roomId);
    Cell cell = room == null ? null : room.cell(kind, country, app, true);
    if (cell == null) {
      return null;
    }
    long now = tenth;
    LongAdder adder = cell.adderAt(now);
    room.touched(now);
    return new Reserved(new SumMark(room.loggedProducer, now), adder, room);
  }

  private final class Reserved implements Place {
    private final SumMark mark;
    private final LongAdder adder;
    private final Room room;

    Reserved(SumMark mark, LongAdder adder, Room room) {
      this.mark = mark;
      this.adder = adder;
      this.room = room;
    }

    @Override
    public SumMark mark() {
      return mark;
    }

    @Override
    public void count() {
      adder.increment();
      room.counted(tenth);
    }
  }

  private Room room(String roomId) {
    Room room = rooms.get(roomId);
    return room != null ? room : newRoom(roomId);
  }

  private Room newRoom(String roomId) {
    if (roomCount.get() >= maxRooms) {
      return rooms.get(roomId);
    }
    return rooms.computeIfAbsent(
        roomId,
        id -> {
          roomCount.incrementAndGet();
          return new Room(id, generations.incrementAndGet(), tenth);
        });
  }

  /** Rooms counted now. */
  public int rooms() {
    return roomCount.get();
  }

  /** Events not counted since there were too many rooms. */
  public long shed() {
    return shed.sum();
  }

  /** The sums of the rooms that have gathered much since they were last flushed. */
  public List<RoomSum> flushUrgent(long nowMillis) {
    List<RoomSum> sums = new ArrayList<>();
    for (Room room = urgent.poll(); room != null; room = urgent.poll()) {
      room.flush(nowMillis, sums);
    }
    return sums;
  }

  /** All sums that have changed since they were last given out. */
  public List<RoomSum> flush(long nowMillis) {
    List<RoomSum> sums = new ArrayList<>();
    Iterator<Room> all = rooms.values().iterator();
    while (all.hasNext()) {
      Room room = all.next();
      room.flush(nowMillis, sums);
      if (tenth - room.touchedTenth > IDLE_TENTHS) {
        all.remove();
        roomCount.decrementAndGet();
        room.retire();
      }
    }
    flushLingering(nowMillis, sums);
    return sums;
  }

  private void flushLingering(long nowMillis, List<RoomSum> sums) {
    long now = tenth;
    if (now - lingeredTenth < RoomSum.TENTHS) {
      return;
    }
    lingeredTenth = now;
    for (Slot slot = replaced.poll(); slot != null; slot = replaced.poll()) {
      slot.lingersUntil = now + LINGER_TENTHS;
      lingering.add(slot);
    }
    for (Slot slot : lingering) {
      RoomSum.Cell changed = slot.changed();
      if (changed != null) {
        sums.add(slot.cell.sum(slot.second, nowMillis, List.of(changed)));
      }
    }
    while (!lingering.isEmpty() && lingering.peek().lingersUntil <= now) {
      lingering.poll();
    }
  }

  /** A room since it was last quiet; another one of the same name has other producers. */
  private final class Room {
    private final String id;
    private final String producer;
    private final String loggedProducer;
    private final AtomicInteger gathered = new AtomicInteger();
    private volatile Cell[] cells = {};
    private volatile boolean isUrgent;
    private volatile boolean isRetired;
    private volatile long touchedTenth;
    private volatile long earlyAt;
    private volatile int stride;
    private long askedTenth;

    Room(String id, int generation, long now) {
      this.id = id;
      this.producer = incarnation + "." + generation;
      this.loggedProducer = producer + ".log";
      this.touchedTenth = now;
      askHowEarly(now);
    }

    private void askHowEarly(long now) {
      askedTenth = now;
      earlyAt = Math.max(1, early.applyAsLong(id));
      stride = Integer.highestOneBit((int) Math.max(1, Math.min(64, earlyAt / 8)));
    }

    void touched(long now) {
      if (touchedTenth < now) {
        touchedTenth = now;
      }
    }

    /** Notices one of {@link #stride} events, and counts it as so many. */
    void counted(long now) {
      touched(now);
      if (isUrgent) {
        return;
      }
      int each = stride;
      if (each > 1 && (ThreadLocalRandom.current().nextInt() & each - 1) != 0) {
        return;
      }
      if (gathered.addAndGet(each) >= earlyAt) {
        synchronized (this) {
          if (isUrgent) {
            return;
          }
          isUrgent = true;
        }
        urgent.add(this);
        wake.run();
      }
    }

    /** The cell, or null if there is none and no room for one more. */
    Cell cell(EventKind kind, String country, String app, boolean logged) {
      Cell found = find(cells, kind, country, app, logged);
      return found != null ? found : newCell(kind, country, app, logged, MAX_CELLS);
    }

    /** There are no more of these than countries. */
    Cell otherCell(EventKind kind, String country) {
      Cell found = find(cells, kind, country, OTHER_APP, false);
      return found != null ? found : newCell(kind, country, OTHER_APP, false, Integer.MAX_VALUE);
    }

    private synchronized Cell newCell(
        EventKind kind, String country, String app, boolean logged, int limit) {
      Cell[] present = cells;
      Cell found = find(present, kind, country, app, logged);
      if (found != null || present.length >= limit) {
        return found;
      }
      Cell[] more = Arrays.copyOf(present, present.length + 1);
      more[present.length] = new Cell(this, kind, country, app, logged);
      cells = more;
      return more[present.length];
    }

    private static Cell find(
        Cell[] cells, EventKind kind, String country, String app, boolean logged) {
      for (Cell cell : cells) {
        if (cell.kind == kind
            && cell.logged == logged
            && Objects.equals(cell.country, country)
            && Objects.equals(cell.app, app)) {
          return cell;
        }
      }
      return null;
    }

    void flush(long nowMillis, List<RoomSum> sums) {
      isUrgent = false;
      gathered.set(0);
      if (tenth - askedTenth >= RoomSum.TENTHS) {
        askHowEarly(tenth);
      }
      for (int back = 0; back < SECONDS; back++) {
        long second = Math.floorDiv(tenth, RoomSum.TENTHS) - back;
        flush(second, false, nowMillis, sums);
        flush(second, true, nowMillis, sums);
      }
    }

    private void flush(long second, boolean logged, long nowMillis, List<RoomSum> sums) {
      List<RoomSum.Cell> changed = null;
      Cell last = null;
      for (Cell cell : cells) {
        Slot slot = cell.logged == logged ? cell.slotAt(second) : null;
        RoomSum.Cell news = slot == null ? null : slot.changed();
        if (news != null) {
          if (changed == null) {
            changed = new ArrayList<>();
          }
          changed.add(news);
          last = cell;
          if (changed.size() == RoomCountJson.MAX_CELLS) {
            sums.add(cell.sum(second, nowMillis, changed));
            changed = null;
          }
        }
      }
      if (changed != null) {
        sums.add(last.sum(second, nowMillis, changed));
      }
    }

    void retire() {
      isRetired = true;
      for (Cell cell : cells) {
        cell.retire();
      }
    }
  }

  /** Events of one kind, country and app in a room. */
  private final class Cell {
    private final Room room;
    private final EventKind kind;
    private final String country;
    private final String app;
    private final boolean logged;
    private final AtomicReferenceArray<Slot> slots = new AtomicReferenceArray<>(SECONDS);
    private volatile Current current = new Current(Long.MIN_VALUE, null);

    /** The adder of the present tenth, so that most events need no more than this. */
    private record Current(long tenth, LongAdder adder) {}

    Cell(Room room, EventKind kind, String country, String app, boolean logged) {
      this.room = room;
      this.kind = kind;
      this.country = country;
      this.app = app;
      this.logged = logged;
    }

    LongAdder adderAt(long now) {
      Current present = current;
      if (present.tenth == now) {
        return present.adder;
      }
      Slot slot = slotOf(Math.floorDiv(now, RoomSum.TENTHS));
      LongAdder adder = slot.adder(Math.floorMod(now, RoomSum.TENTHS));
      current = new Current(now, adder);
      return adder;
    }

    private Slot slotOf(long second) {
      int index = Math.floorMod(second, SECONDS);
      while (true) {
        Slot present = slots.get(index);
        if (present != null && present.second == second) {
          return present;
        }
        Slot fresh = new Slot(this, second);
        if (slots.compareAndSet(index, present, fresh)) {
          if (present != null) {
            replaced.add(present);
          }
          if (room.isRetired) {
            // Whoever retired the room may have looked before.
            replaced.add(fresh);
          }
          return fresh;
        }
      }
    }

    Slot slotAt(long second) {
      Slot slot = slots.get(Math.floorMod(second, SECONDS));
      return slot != null && slot.second == second ? slot : null;
    }

    void retire() {
      for (int i = 0; i < SECONDS; i++) {
        Slot slot = slots.get(i);
        if (slot != null) {
          replaced.add(slot);
        }
      }
    }

    RoomSum sum(long second, long nowMillis, List<RoomSum.Cell> changed) {
      return new RoomSum(
          room.id,
          logged ? room.loggedProducer : room.producer,
          second,
          nowMillis - second * 1000,
          changed);
    }
  }

  /** One second of a cell. */
  private static final class Slot {
    private final Cell cell;
    private final long second;
    private final AtomicReferenceArray<LongAdder> adders =
        new AtomicReferenceArray<>(RoomSum.TENTHS);
    private final long[] given = new long[RoomSum.TENTHS];
    private long lingersUntil;

    Slot(Cell cell, long second) {
      this.cell = cell;
      this.second = second;
    }

    LongAdder adder(int index) {
      LongAdder present = adders.get(index);
      if (present != null) {
        return present;
      }
      LongAdder fresh = new LongAdder();
      return adders.compareAndSet(index, null, fresh) ? fresh : adders.get(index);
    }

    /** Its counts if they have changed since they were last given, else null. Flushing thread. */
    RoomSum.Cell changed() {
      boolean news = false;
      int length = 0;
      for (int i = 0; i < RoomSum.TENTHS; i++) {
        LongAdder adder = adders.get(i);
        long count = adder == null ? 0 : adder.sum();
        news |= count != given[i];
        given[i] = count;
        if (count > 0) {
          length = i + 1;
        }
      }
      if (!news) {
        return null;
      }
      List<Long> counts = new ArrayList<>(length);
      for (int i = 0; i < length; i++) {
        counts.add(given[i]);
      }
      return new RoomSum.Cell(cell.kind, cell.country, cell.app, counts);
    }
  }
}
