package dev.sluice.hot;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.RoomSum;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** One second of a room: its events by kind and tenth, of all, of each country and of each app. */
final class Bucket {
  private static final int KINDS = EventKind.values().length;

  private final long second;
  private final int[] all = new int[KINDS * RoomSum.TENTHS];
  private final Map<String, int[]> countries = new TreeMap<>();
  private final Map<String, int[]> apps = new TreeMap<>();

  Bucket(long second) {
    this.second = second;
  }

  private static int row(EventKind kind) {
    return switch (kind) {
      case MESSAGE -> 0;
      case FETCH -> 1;
      case JOIN -> 2;
    };
  }

  long second() {
    return second;
  }

  void add(EventKind kind, String country, String app, int tenth, long more) {
    add(all, kind, tenth, more);
    if (country != null) {
      add(of(countries, country), kind, tenth, more);
    }
    if (app != null) {
      add(of(apps, app), kind, tenth, more);
    }
  }

  private static int[] of(Map<String, int[]> slices, String name) {
    return slices.computeIfAbsent(name, unseen -> new int[KINDS * RoomSum.TENTHS]);
  }

  private static void add(int[] counts, EventKind kind, int tenth, long more) {
    int at = row(kind) * RoomSum.TENTHS + tenth;
    counts[at] = (int) Math.min(Integer.MAX_VALUE, counts[at] + more);
  }

  /** What is in a slice from the tenth {@code from} to {@code to}, both included. */
  Tally tally(Slice slice, long from, long to) {
    int[] counts =
        switch (slice.dimension()) {
          case ROOM -> all;
          case COUNTRY -> countries.get(slice.name());
          case APP -> apps.get(slice.name());
        };
    if (counts == null) {
      return Tally.NONE;
    }
    long first = second * RoomSum.TENTHS;
    int begin = (int) Math.max(0, from - first);
    int end = (int) Math.min(RoomSum.TENTHS - 1L, to - first);
    return new Tally(
        sum(counts, EventKind.MESSAGE, begin, end),
        sum(counts, EventKind.FETCH, begin, end),
        sum(counts, EventKind.JOIN, begin, end));
  }

  private static long sum(int[] counts, EventKind kind, int begin, int end) {
    long sum = 0;
    for (int tenth = begin; tenth <= end; tenth++) {
      sum += counts[row(kind) * RoomSum.TENTHS + tenth];
    }
    return sum;
  }

  Set<String> countries() {
    return countries.keySet();
  }

  Set<String> apps() {
    return apps.keySet();
  }
}
