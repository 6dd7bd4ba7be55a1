package dev.sluice.hot.edge;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomEvent;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToLongFunction;

/**
 * Counts the events of rooms by country, app, kind and tenth of a second, and gives the cumulative
 * sums out. Any thread counts; one thread calls {@link #tick}, and one the flushes. Counting waits
 * for nobody and loses nothing however many threads count in one room; only the first event of a
 * room, or of a country or app in it, takes a lock.
 *
 * <p>The number of rooms is bounded, and so is the number of cells in one and in all: see {@link
 * #count} and {@link #reserve} for what happens beyond.
 */
public final class EdgeCounters {
  private static final int SECONDS = 2;

  /** Most cells in a room; as many again for what comes by {@link RoomEvent#OTHER_APP}. */
  private static final int MAX_CELLS = 256;

  /** Cells that a room may have on average. */
  private static final int CELLS_PER_ROOM = 16;

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
  private final long maxCells;
  private final ToLongFunction<String> early;
  private final Runnable wake;
  private final ConcurrentHashMap<String, Room> rooms = new ConcurrentHashMap<>();
  private final AtomicInteger roomCount = new AtomicInteger();
  private final AtomicLong cellCount = new AtomicLong();
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
    this.maxCells = (long) CELLS_PER_ROOM * maxRooms + 2 * MAX_CELLS;
    this.early = early;
    this.wake = wake;
  }

  /**
   * Says what time it is. What is counted until the next call belongs to this tenth of a second, so
   * it is called every few milliseconds.
   *
   * @param nowMillis since the epoch, by a clock that never steps; back it doesn't go
   */
  public void tick(long nowMillis) {
    tenth = Math.max(tenth, Math.floorDiv(nowMillis, 1000 / RoomSum.TENTHS));
  }

  /**
   * Counts an event that isn't logged. When there are too many apps the app becomes {@link
   * RoomEvent#OTHER_APP}, and when there are too many countries too the country is forgotten, so
   * that the room's total stays exact.
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
    LongAdder adder = cell.adderAt(now);
    while (adder == null) {
      now = tenth;
      adder = cell.adderAt(now);
    }
    adder.increment();
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
    while (adder == null) {
      now = tenth;
      adder = cell.adderAt(now);
    }
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
          if (roomCount.incrementAndGet() > maxRooms) {
            roomCount.decrementAndGet();
            return null;
          }
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
    flushUrgent(nowMillis, sums);
    return sums;
  }

  private void flushUrgent(long nowMillis, List<RoomSum> sums) {
    for (Room room = urgent.poll(); room != null; room = urgent.poll()) {
      room.isUrgent.set(false);
      room.flush(nowMillis, sums);
    }
  }

  /** All sums that have changed since they were last given out. */
  public List<RoomSum> flush(long nowMillis) {
    List<RoomSum> sums = new ArrayList<>();
    flushUrgent(nowMillis, sums);
    long now = tenth;
    Iterator<Room> all = rooms.values().iterator();
    while (all.hasNext()) {
      Room room = all.next();
      if (room.hasNews) {
        room.flush(nowMillis, sums);
      }
      if (now - room.touchedTenth > IDLE_TENTHS) {
        all.remove();
        room.retire();
      }
    }
    if (now - lingeredTenth >= RoomSum.TENTHS) {
      flushLingering(now, nowMillis, sums);
    }
    return sums;
  }

  /** As {@link #flush}, for the end: leaves out nothing that has been counted. */
  public List<RoomSum> flushAll(long nowMillis) {
    List<RoomSum> sums = flush(nowMillis);
    flushLingering(tenth, nowMillis, sums);
    return sums;
  }

  private void flushLingering(long now, long nowMillis, List<RoomSum> sums) {
    lingeredTenth = now;
    for (Slot slot = replaced.poll(); slot != null; slot = replaced.poll()) {
      slot.lingersUntil = now + LINGER_TENTHS;
      lingering.add(slot);
    }
    for (Slot slot : lingering) {
      RoomSum.Cell changed = slot.changed();
      if (changed != null) {
        Cell cell = slot.cell;
        sums.add(cell.room.sum(slot.second, cell.logged, nowMillis, List.of(changed)));
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
    private final AtomicBoolean isUrgent = new AtomicBoolean();
    private volatile Cell[] cells = {};
    private volatile boolean isRetired;

    /** Set after each count, and cleared before the counts are read. */
    private volatile boolean hasNews;

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
      if (!hasNews) {
        hasNews = true;
      }
      if (isUrgent.get()) {
        return;
      }
      int each = stride;
      if (each > 1 && (ThreadLocalRandom.current().nextInt() & each - 1) != 0) {
        return;
      }
      if (gathered.addAndGet(each) >= earlyAt && isUrgent.compareAndSet(false, true)) {
        urgent.add(this);
        wake.run();
      }
    }

    /** The cell, or null if there is none and there may be none more. */
    Cell cell(EventKind kind, String country, String app, boolean logged) {
      Cell found = find(cells, kind, country, app, logged);
      return found != null ? found : newCell(kind, country, app, logged, MAX_CELLS);
    }

    /** The cell of a country whatever the app, or at least that of the kind. */
    Cell otherCell(EventKind kind, String country) {
      Cell found = find(cells, kind, country, RoomEvent.OTHER_APP, false);
      if (found == null) {
        found = newCell(kind, country, RoomEvent.OTHER_APP, false, 2 * MAX_CELLS);
      }
      if (found == null) {
        found = newCell(kind, null, RoomEvent.OTHER_APP, false, Integer.MAX_VALUE);
      }
      return found;
    }

    private synchronized Cell newCell(
        EventKind kind, String country, String app, boolean logged, int limit) {
      Cell[] present = cells;
      Cell found = find(present, kind, country, app, logged);
      boolean isLimited = limit < Integer.MAX_VALUE;
      if (found != null
          || (isLimited && (present.length >= limit || cellCount.get() >= maxCells))) {
        return found;
      }
      if (!isRetired) {
        cellCount.incrementAndGet();
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

    /** Looks at all that is there, as someone may be late with a second that is over. */
    void flush(long nowMillis, List<RoomSum> sums) {
      hasNews = false;
      gathered.set(0);
      if (tenth - askedTenth >= RoomSum.TENTHS) {
        askHowEarly(tenth);
      }
      List<Changed> changes = new ArrayList<>(2);
      for (Cell cell : cells) {
        for (int i = 0; i < SECONDS; i++) {
          Slot slot = cell.slots.get(i);
          RoomSum.Cell changed = slot == null ? null : slot.changed();
          if (changed != null) {
            changesOf(slot.second, cell.logged, changes).add(changed);
          }
        }
      }
      for (Changed changed : changes) {
        for (int i = 0; i < changed.cells().size(); i += RoomCountJson.MAX_CELLS) {
          int end = Math.min(i + RoomCountJson.MAX_CELLS, changed.cells().size());
          List<RoomSum.Cell> part = changed.cells().subList(i, end);
          sums.add(sum(changed.second(), changed.logged(), nowMillis, part));
        }
      }
    }

    private record Changed(long second, boolean logged, List<RoomSum.Cell> cells) {}

    private static List<RoomSum.Cell> changesOf(
        long second, boolean logged, List<Changed> changes) {
      for (Changed changed : changes) {
        if (changed.second() == second && changed.logged() == logged) {
          return changed.cells();
        }
      }
      Changed first = new Changed(second, logged, new ArrayList<>());
      changes.add(first);
      return first.cells();
    }

    RoomSum sum(long second, boolean logged, long nowMillis, List<RoomSum.Cell> changed) {
      String by = logged ? loggedProducer : producer;
      return new RoomSum(id, by, second, nowMillis - second * 1000, changed);
    }

    void retire() {
      roomCount.decrementAndGet();
      Cell[] present;
      synchronized (this) {
        isRetired = true;
        present = cells;
        cellCount.addAndGet(-present.length);
      }
      for (Cell cell : present) {
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

    /** Null if the caller has been overtaken by who counts a later second, so {@code now} isn't. */
    LongAdder adderAt(long now) {
      Current present = current;
      if (present.tenth == now) {
        return present.adder;
      }
      Slot slot = slotOf(Math.floorDiv(now, RoomSum.TENTHS));
      if (slot == null) {
        return null;
      }
      LongAdder adder = slot.adder(Math.floorMod(now, RoomSum.TENTHS));
      current = new Current(now, adder);
      return adder;
    }

    private Slot slotOf(long second) {
      int index = Math.floorMod(second, SECONDS);
      while (true) {
        Slot present = slots.get(index);
        if (present != null && present.second >= second) {
          // A second that came back to its place would be counted from nothing.
          return present.second == second ? present : null;
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

    void retire() {
      for (int i = 0; i < SECONDS; i++) {
        Slot slot = slots.get(i);
        if (slot != null) {
          replaced.add(slot);
        }
      }
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
