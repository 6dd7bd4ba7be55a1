package dev.sluice.hot;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.RoomSum;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A producer of sums with a clock of its own. */
final class FakeEdge {
  private final String producer;
  private final long clockAheadMillis;
  private final Map<String, Map<Long, Map<Cell, long[]>>> rooms = new TreeMap<>();

  record Cell(EventKind kind, String country, String app) implements Comparable<Cell> {
    @Override
    public int compareTo(Cell other) {
      return toString().compareTo(other.toString());
    }
  }

  FakeEdge(String producer) {
    this(producer, 0);
  }

  FakeEdge(String producer, long clockAheadMillis) {
    this.producer = producer;
    this.clockAheadMillis = clockAheadMillis;
  }

  void count(String room, EventKind kind, String country, String app, long at, long events) {
    long mine = at + clockAheadMillis;
    rooms
            .computeIfAbsent(room, id -> new TreeMap<>())
            .computeIfAbsent(Math.floorDiv(mine, 1000L), slot -> new TreeMap<>())
            .computeIfAbsent(new Cell(kind, country, app), cell -> new long[RoomSum.TENTHS])[
            (int) (Math.floorMod(mine, 1000L) / 100)] +=
        events;
  }

  void messages(String room, long at, long events) {
    count(room, EventKind.MESSAGE, null, null, at, events);
  }

  /** All it has counted in a room, one sum a slot. */
  List<RoomSum> sums(String room, long at) {
    List<RoomSum> sums = new ArrayList<>();
    rooms
        .getOrDefault(room, Map.of())
        .forEach(
            (slot, cells) -> {
              List<RoomSum.Cell> all = new ArrayList<>();
              cells.forEach(
                  (cell, counts) ->
                      all.add(
                          new RoomSum.Cell(
                              cell.kind(),
                              cell.country(),
                              cell.app(),
                              Arrays.stream(counts).boxed().toList())));
              long age = at + clockAheadMillis - slot * 1000;
              sums.add(new RoomSum(room, producer, slot, age, all));
            });
    return sums;
  }

  /** The newest of them. */
  RoomSum last(String room, long at) {
    List<RoomSum> all = sums(room, at);
    return all.get(all.size() - 1);
  }
}
