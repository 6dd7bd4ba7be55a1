package dev.sluice.api.monitoring;

import dev.sluice.query.RoomView;
import dev.sluice.query.SystemView;
import java.time.Instant;

/**
 * The load of all rooms at one moment. Rooms with nobody in them don't count.
 *
 * @param utilisation active people over capacity, 0 when nobody is anywhere
 * @param lag commands logged and not yet applied
 */
public record Point(
    Instant at,
    int rooms,
    long totalWaiting,
    long active,
    long capacity,
    double utilisation,
    long admittedLastMinute,
    long lag) {
  /** The load that {@code system} shows. */
  public static Point of(Instant at, SystemView system) {
    long active = system.rooms().stream().mapToLong(RoomView::active).sum();
    long capacity = system.rooms().stream().mapToLong(RoomView::capacity).sum();
    return new Point(
        at,
        system.rooms().size(),
        system.rooms().stream().mapToLong(RoomView::waiting).sum(),
        active,
        capacity,
        utilisation(active, capacity),
        system.rooms().stream().mapToLong(RoomView::admittedLastMinute).sum(),
        system.partitions().stream().mapToLong(SystemView.PartitionView::lag).sum());
  }

  /** People who hold or want a place. */
  long demand() {
    return active + totalWaiting;
  }

  /** A room whose capacity was taken away while people are in it is full. */
  private static double utilisation(long active, long capacity) {
    if (active == 0) {
      return 0;
    }
    return capacity == 0 ? 1 : (double) active / capacity;
  }
}
