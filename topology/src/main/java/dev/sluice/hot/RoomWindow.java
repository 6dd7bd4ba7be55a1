package dev.sluice.hot;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.RoomSum;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What has been counted in one room lately. Remembers of each sum the greatest counts it has seen,
 * so that a repeated or overtaken sum adds nothing, and adds what is new to buckets of a second,
 * each tenth in its place. Not thread-safe.
 */
final class RoomWindow {
  /** Most cells remembered of one sum; more of them, which no edge of ours sends, don't count. */
  static final int MAX_CELLS = 4_096;

  private final Map<Name, Slot> slots = new HashMap<>();
  private final Set<Name> changed = new HashSet<>();
  private final List<Name> dropped = new ArrayList<>();

  /** Ordered by second. */
  private final Deque<Bucket> buckets = new ArrayDeque<>();

  /**
   * Events that a sum told of anew and that are in no bucket.
   *
   * @param late since their second had gone
   * @param beyond since the sum had too many cells
   */
  record Uncounted(long late, long beyond) {}

  /** Which sum of which producer. */
  record Name(String producer, long slot) {}

  /** Of what a cell counts. */
  record CellName(EventKind kind, String country, String app) {}

  /** The greatest counts seen of a sum, and when it began. */
  static final class Slot {
    final long baseTenth;
    final Map<CellName, long[]> cells = new HashMap<>(4);

    Slot(long baseTenth) {
      this.baseTenth = baseTenth;
    }
  }

  /**
   * Adds what is new in a sum.
   *
   * @param baseTenth when its slot began; the first of all sums of a slot decides for all
   * @param oldest tenth that still counts
   */
  Uncounted apply(RoomSum sum, long baseTenth, long oldest) {
    Name name = new Name(sum.producer(), sum.slot());
    Slot slot = slots.computeIfAbsent(name, unseen -> new Slot(baseTenth));
    long late = 0;
    long beyond = 0;
    boolean isNew = false;
    for (RoomSum.Cell cell : sum.cells()) {
      long[] known = counts(slot, new CellName(cell.kind(), cell.country(), cell.app()));
      if (known == null) {
        beyond += cell.total();
        continue;
      }
      for (int i = 0; i < cell.counts().size(); i++) {
        long more = cell.counts().get(i) - known[i];
        if (more > 0) {
          known[i] += more;
          isNew = true;
          long tenth = slot.baseTenth + i;
          if (tenth < oldest) {
            late += more;
          } else {
            add(cell.kind(), cell.country(), cell.app(), tenth, more);
          }
        }
      }
    }
    if (isNew) {
      changed.add(name);
    }
    return new Uncounted(late, beyond);
  }

  private static long[] counts(Slot slot, CellName name) {
    long[] known = slot.cells.get(name);
    if (known == null && slot.cells.size() < MAX_CELLS) {
      known = new long[RoomSum.TENTHS];
      slot.cells.put(name, known);
    }
    return known;
  }

  private void add(EventKind kind, String country, String app, long tenth, long more) {
    bucket(Math.floorDiv(tenth, RoomSum.TENTHS))
        .add(kind, country, app, (int) Math.floorMod(tenth, (long) RoomSum.TENTHS), more);
  }

  private Bucket bucket(long second) {
    for (Iterator<Bucket> newestFirst = buckets.descendingIterator(); newestFirst.hasNext(); ) {
      Bucket bucket = newestFirst.next();
      if (bucket.second() == second) {
        return bucket;
      }
      if (bucket.second() < second) {
        break;
      }
    }
    Bucket fresh = new Bucket(second);
    Deque<Bucket> after = new ArrayDeque<>();
    while (!buckets.isEmpty() && buckets.peekLast().second() > second) {
      after.push(buckets.pollLast());
    }
    buckets.add(fresh);
    buckets.addAll(after);
    return fresh;
  }

  /** Takes back a slot that was written before; it isn't written again unless it changes. */
  void restore(Name name, Slot slot, long oldest) {
    slots.put(name, slot);
    slot.cells.forEach(
        (cell, counts) -> {
          for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0 && slot.baseTenth + i >= oldest) {
              add(cell.kind(), cell.country(), cell.app(), slot.baseTenth + i, counts[i]);
            }
          }
        });
  }

  /** What happened in a slice in the last {@code seconds} up to and including {@code nowTenth}. */
  Tally tally(Slice slice, int seconds, long nowTenth) {
    long from = nowTenth - (long) seconds * RoomSum.TENTHS + 1;
    Tally tally = Tally.NONE;
    for (Iterator<Bucket> newestFirst = buckets.descendingIterator(); newestFirst.hasNext(); ) {
      Bucket bucket = newestFirst.next();
      if ((bucket.second() + 1) * RoomSum.TENTHS <= from) {
        break;
      }
      tally = tally.plus(bucket.tally(slice, from, nowTenth));
    }
    return tally;
  }

  /** Whether something happened, as it says, after {@code tenth}. */
  boolean reachesBeyond(long tenth) {
    for (Iterator<Bucket> newestFirst = buckets.descendingIterator(); newestFirst.hasNext(); ) {
      Bucket bucket = newestFirst.next();
      if ((bucket.second() + 1) * RoomSum.TENTHS <= tenth + 1) {
        return false;
      }
      if (bucket.tally(Slice.ROOM, tenth + 1, Long.MAX_VALUE).total() > 0) {
        return true;
      }
    }
    return false;
  }

  /**
   * Forgets what is older.
   *
   * @param oldest tenth whose events still count
   * @param oldestSlot tenth from which on slots are remembered; not after {@code oldest}
   * @return whether a slot was forgotten
   */
  boolean forget(long oldest, long oldestSlot) {
    while (!buckets.isEmpty() && (buckets.peek().second() + 1) * RoomSum.TENTHS <= oldest) {
      buckets.poll();
    }
    return slots
        .entrySet()
        .removeIf(
            entry -> {
              boolean old = entry.getValue().baseTenth + RoomSum.TENTHS <= oldestSlot;
              if (old) {
                changed.remove(entry.getKey());
                dropped.add(entry.getKey());
              }
              return old;
            });
  }

  boolean isEmpty() {
    return slots.isEmpty();
  }

  Set<String> countries() {
    Set<String> names = new TreeSet<>();
    buckets.forEach(bucket -> names.addAll(bucket.countries()));
    return names;
  }

  Set<String> apps() {
    Set<String> names = new TreeSet<>();
    buckets.forEach(bucket -> names.addAll(bucket.apps()));
    return names;
  }

  /** Writes what has changed since this was last called. */
  void drainTo(String roomId, HeatStore store) {
    for (Name name : dropped) {
      store.deleteSlot(roomId, name.producer(), name.slot());
    }
    dropped.clear();
    for (Name name : changed) {
      Slot slot = slots.get(name);
      store.putSlot(roomId, name.producer(), name.slot(), slot.baseTenth, cellsOf(slot));
    }
    changed.clear();
  }

  /** Deletes all that was ever written. */
  void deleteFrom(String roomId, HeatStore store) {
    for (Name name : dropped) {
      store.deleteSlot(roomId, name.producer(), name.slot());
    }
    for (Name name : slots.keySet()) {
      store.deleteSlot(roomId, name.producer(), name.slot());
    }
  }

  private static List<RoomSum.Cell> cellsOf(Slot slot) {
    List<RoomSum.Cell> cells = new ArrayList<>(slot.cells.size());
    slot.cells.forEach(
        (name, counts) ->
            cells.add(
                new RoomSum.Cell(
                    name.kind(),
                    name.country(),
                    name.app(),
                    Arrays.stream(counts).boxed().toList())));
    return cells;
  }
}
