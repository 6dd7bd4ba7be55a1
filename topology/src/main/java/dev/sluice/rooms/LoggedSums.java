package dev.sluice.rooms;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.SumMark;
import dev.sluice.streams.BinaryReader;
import dev.sluice.streams.BinaryWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * Sums of the events logged in one partition, in rows by room, producer and second.
 *
 * <p>An event with a mark is summed under the mark's producer, slot and tenth, any other under this
 * partition's own name and its append time. Each row knows the last offset that touched it, so that
 * an event read again after a crash counts once whatever state its row has come back in; and since
 * all that has changed is sent before each commit, one read again may not have been sent and is
 * sent again.
 *
 * <p>The heap holds the rows touched since the last commit but one, and never more than {@link
 * #MAX_CELLS} cells; the others are in the store for two minutes. Owned by one thread.
 */
public final class LoggedSums {
  /** Most cells in the heap, of all rows. */
  static final int MAX_CELLS = 20_000;

  /** How long after its second a row is kept, by append times. */
  static final long KEPT_MILLIS = 120_000;

  private static final int FORMAT = 1;

  /** A kind is stored as its place in here. */
  private static final List<EventKind> KINDS =
      List.of(EventKind.MESSAGE, EventKind.FETCH, EventKind.JOIN);

  private static final int MAX_SWEPT = 5_000;
  private static final long NO_TIME = Long.MAX_VALUE;

  /** An event that was appended took about so long since its place was reserved in its tenth. */
  private static final long HALF_A_TENTH = 50;

  private final String producer;
  private final KeptRows kept;
  private final ToLongFunction<String> early;
  private final Consumer<RoomSum> sums;
  private final DueRows due;
  private final Map<Key, Row> rows = new HashMap<>();
  private final List<Row> unsent = new ArrayList<>();
  private final List<Row> unsentMarked = new ArrayList<>();
  private final BinaryWriter values = new BinaryWriter();

  private int cellsInHeap;
  private long earliest = NO_TIME;
  private long earliestBefore = NO_TIME;

  /**
   * @param part a sum has a bound of cells; those beyond it are in the next part
   */
  private record Key(String roomId, String producer, long slot, int part) {
    byte[] toBytes() {
      return RowKeys.of(RowKeys.SUMS, roomId)
          .putAscii(producer)
          .putByte((byte) 0)
          .putFixed(slot)
          .putFixed(part)
          .end();
    }

    static Key of(byte[] bytes) {
      String roomId = RowKeys.name(bytes, 1);
      String producer = RowKeys.name(bytes, 2 + roomId.length());
      BinaryReader numbers = new BinaryReader(bytes, 3 + roomId.length() + producer.length());
      return new Key(roomId, producer, numbers.getFixed(), (int) numbers.getFixed());
    }
  }

  private record Slice(EventKind kind, String country, String app) {}

  private static final class Row {
    private final Key key;
    private final boolean marked;
    private final long early;
    private final Map<Slice, long[]> cells = new LinkedHashMap<>();
    private long offset = -1;
    private long begin = NO_TIME;
    private long addedSinceSent;
    private boolean isKept;
    private boolean changed;
    private boolean waitsToBeSent;
    private boolean touched;

    Row(Key key, boolean marked, long early) {
      this.key = key;
      this.marked = marked;
      this.early = early;
    }
  }

  /**
   * @param producer names this partition in sums of unmarked events
   * @param early how many events of a room are sent at once, from 1
   * @param sums takes the sums that are due
   */
  public LoggedSums(
      String producer, KeptRows kept, ToLongFunction<String> early, Consumer<RoomSum> sums) {
    this.producer = producer;
    this.kept = kept;
    this.early = early;
    this.sums = sums;
    this.due = new DueRows(kept, RowKeys.SUMS_DUE);
  }

  /**
   * Sums an event.
   *
   * @param at when it was appended
   * @param mark null when nobody else sums it
   * @param now in the same time as {@code at}
   */
  public void add(long offset, long at, RoomEvent event, SumMark mark, long now) {
    earliest = Math.min(earliest, at);
    long tenth = mark == null ? Math.floorDiv(at, 100) : mark.tenth();
    long slot = Math.floorDiv(tenth, RoomSum.TENTHS);
    int within = (int) Math.floorMod(tenth, (long) RoomSum.TENTHS);
    Slice slice = sliceOf(event, mark, slot, now);
    Row row = rowFor(event.roomId(), mark, slot, slice, now);
    row.touched = true;
    if (!row.waitsToBeSent) {
      row.waitsToBeSent = true;
      (row.marked ? unsentMarked : unsent).add(row);
    }
    if (offset <= row.offset) {
      return;
    }
    row.offset = offset;
    row.begin =
        mark == null
            ? row.key.slot() * 1000
            : Math.min(row.begin, at - within * 100L - HALF_A_TENTH);
    row.cells.computeIfAbsent(slice, this::newCell)[within]++;
    row.changed = true;
    row.addedSinceSent++;
    if (!row.marked && row.addedSinceSent >= row.early) {
      send(row, now);
    }
  }

  private long[] newCell(Slice slice) {
    cellsInHeap++;
    return new long[RoomSum.TENTHS];
  }

  /**
   * Apps are told apart as long as they fit into one sum; marked events are as their edge counts.
   */
  private Slice sliceOf(RoomEvent event, SumMark mark, long slot, long now) {
    Slice slice = new Slice(event.kind(), event.country(), event.app());
    if (mark != null || event.app() == null) {
      return slice;
    }
    Row first = row(new Key(event.roomId(), producer, slot, 0), false, now);
    return first.cells.size() < RoomCountJson.MAX_CELLS || first.cells.containsKey(slice)
        ? slice
        : new Slice(event.kind(), event.country(), RoomEvent.OTHER_APP);
  }

  private Row rowFor(String roomId, SumMark mark, long slot, Slice slice, long now) {
    String by = mark == null ? producer : mark.producer();
    for (int part = 0; ; part++) {
      Row row = row(new Key(roomId, by, slot, part), mark != null, now);
      if (row.cells.size() < RoomCountJson.MAX_CELLS || row.cells.containsKey(slice)) {
        return row;
      }
    }
  }

  private Row row(Key key, boolean marked, long now) {
    Row row = rows.get(key);
    if (row == null) {
      if (cellsInHeap >= MAX_CELLS) {
        sendAll(now);
        writeChanged();
        rows.clear();
        cellsInHeap = 0;
      }
      row = new Row(key, marked, marked ? 0 : early.applyAsLong(key.roomId()));
      byte[] value = kept.get(key.toBytes());
      if (value != null) {
        read(value, row);
        cellsInHeap += row.cells.size();
      }
      rows.put(key, row);
    }
    return row;
  }

  /** Sends the unmarked rows that have changed. */
  public void flush(long now) {
    sendWaiting(unsent, now);
  }

  private void sendAll(long now) {
    sendWaiting(unsent, now);
    sendWaiting(unsentMarked, now);
  }

  private void sendWaiting(List<Row> waiting, long now) {
    for (Row row : waiting) {
      if (row.waitsToBeSent) {
        send(row, now);
      }
    }
    waiting.clear();
  }

  private void send(Row row, long now) {
    row.waitsToBeSent = false;
    row.addedSinceSent = 0;
    List<RoomSum.Cell> cells = new ArrayList<>(row.cells.size());
    row.cells.forEach((slice, counts) -> cells.add(cell(slice, counts)));
    long age = Math.max(0, now - row.begin);
    sums.accept(new RoomSum(row.key.roomId(), row.key.producer(), row.key.slot(), age, cells));
  }

  private static RoomSum.Cell cell(Slice slice, long[] counts) {
    int length = counts.length;
    while (length > 0 && counts[length - 1] == 0) {
      length--;
    }
    List<Long> shown = Arrays.stream(counts, 0, length).boxed().toList();
    return new RoomSum.Cell(slice.kind(), slice.country(), slice.app(), shown);
  }

  /**
   * A commit is about to happen, whose producer delivers all that was sent before: sends all that
   * has changed, puts it into the store, and lets go of what is old.
   */
  public void write(long now) {
    sendAll(now);
    writeChanged();
    rows.values().removeIf(row -> !row.touched);
    cellsInHeap = rows.values().stream().mapToInt(row -> row.cells.size()).sum();
    rows.values().forEach(row -> row.touched = false);
    // By the time of one commit ago, since what was summed since may not have been delivered.
    if (earliestBefore != NO_TIME) {
      long second = Math.floorDiv(earliestBefore - KEPT_MILLIS, 1000);
      due.sweep(second, MAX_SWEPT, name -> forget(name, second));
    }
    if (earliest != NO_TIME) {
      earliestBefore = earliest;
      earliest = NO_TIME;
    }
  }

  private void forget(byte[] name, long second) {
    if (rows.containsKey(Key.of(name))) {
      due.put(second + KEPT_MILLIS / 1000, name);
    } else {
      kept.delete(name);
    }
  }

  private void writeChanged() {
    for (Row row : rows.values()) {
      if (row.changed) {
        byte[] name = row.key.toBytes();
        if (!row.isKept) {
          due.put(Math.max(0, Math.floorDiv(row.begin, 1000)), name);
          row.isKept = true;
        }
        kept.put(name, encode(row));
        row.changed = false;
      }
    }
  }

  int cellsInHeap() {
    return cellsInHeap;
  }

  private byte[] encode(Row row) {
    values.begin().put(FORMAT).put(row.offset).put(row.begin).put(row.cells.size());
    row.cells.forEach(
        (slice, counts) -> {
          values.put(KINDS.indexOf(slice.kind())).put(slice.country()).put(slice.app());
          for (long count : counts) {
            values.put(count);
          }
        });
    return values.end();
  }

  private static void read(byte[] value, Row row) {
    BinaryReader from = Formats.begin(value, FORMAT);
    row.offset = from.getLong();
    row.begin = from.getLong();
    int size = from.getInt();
    for (int i = 0; i < size; i++) {
      Slice slice = new Slice(KINDS.get(from.getInt()), from.getText(), from.getText());
      long[] counts = new long[RoomSum.TENTHS];
      for (int tenth = 0; tenth < counts.length; tenth++) {
        counts[tenth] = from.getLong();
      }
      row.cells.put(slice, counts);
    }
    row.isKept = true;
  }
}
