package dev.sluice.hot.edge;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.RoomSum;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sums that are to be sent, oldest first. Those of one room, producer and second become one, so
 * that a log that is away for a while makes no more of them than there were seconds. Their number
 * is bounded: the oldest are given up beyond, and whatever is too old to be in any window.
 * Thread-safe.
 */
public final class UnsentSums {
  /** The longest window there is. */
  private static final long KEPT_MILLIS = 60_000;

  private final int maxCells;
  private final LinkedHashMap<Name, Map<Slice, RoomSum.Cell>> sums = new LinkedHashMap<>();
  private int cells;
  private long givenUp;

  private record Name(String roomId, String producer, long slot) {}

  private record Slice(EventKind kind, String country, String app) {}

  /**
   * @param maxCells of all sums
   */
  public UnsentSums(int maxCells) {
    this.maxCells = maxCells;
  }

  /** Adds a sum, new or come back. */
  public synchronized void add(RoomSum sum) {
    Name name = new Name(sum.roomId(), sum.producer(), sum.slot());
    Map<Slice, RoomSum.Cell> known = sums.computeIfAbsent(name, n -> new LinkedHashMap<>());
    for (RoomSum.Cell cell : sum.cells()) {
      Slice slice = new Slice(cell.kind(), cell.country(), cell.app());
      RoomSum.Cell before = known.put(slice, cell);
      if (before == null) {
        cells++;
      } else if (before.total() > cell.total()) {
        known.put(slice, before);
      }
    }
    Iterator<Map<Slice, RoomSum.Cell>> oldest = sums.values().iterator();
    while (cells > maxCells && oldest.hasNext()) {
      cells -= oldest.next().size();
      oldest.remove();
      givenUp++;
    }
  }

  /**
   * Takes the oldest sum out.
   *
   * @param nowMillis by the clock of the slots, from which the sum's age is told
   * @param limit most cells in it; what is beyond comes next
   * @return null if there is none
   */
  public synchronized RoomSum poll(long nowMillis, int limit) {
    Iterator<Map.Entry<Name, Map<Slice, RoomSum.Cell>>> oldest = sums.entrySet().iterator();
    while (oldest.hasNext()) {
      Map.Entry<Name, Map<Slice, RoomSum.Cell>> sum = oldest.next();
      Name name = sum.getKey();
      long age = nowMillis - name.slot() * 1000;
      if (age > KEPT_MILLIS) {
        cells -= sum.getValue().size();
        oldest.remove();
        givenUp++;
        continue;
      }
      List<RoomSum.Cell> part = new ArrayList<>();
      Iterator<RoomSum.Cell> all = sum.getValue().values().iterator();
      while (all.hasNext() && part.size() < limit) {
        part.add(all.next());
        all.remove();
      }
      cells -= part.size();
      if (sum.getValue().isEmpty()) {
        oldest.remove();
      }
      return new RoomSum(name.roomId(), name.producer(), name.slot(), age, part);
    }
    return null;
  }

  public synchronized boolean isEmpty() {
    return sums.isEmpty();
  }

  /** Sums that were given up since the log was away for too long. */
  public synchronized long givenUp() {
    return givenUp;
  }
}
