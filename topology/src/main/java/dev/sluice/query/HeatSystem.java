package dev.sluice.query;

import dev.sluice.query.SystemView.PartitionStatus;
import java.util.List;

/**
 * All partitions of {@code sluice.room-counts} and the busiest rooms.
 *
 * @param rooms the hot ones and those nearest to their threshold, hottest first, at most {@link
 *     #MAX_ROOMS}
 */
public record HeatSystem(List<PartitionHeat> partitions, List<RoomHeat> rooms) {
  /** Most rooms in one answer. */
  public static final int MAX_ROOMS = 50;

  public HeatSystem {
    partitions = List.copyOf(partitions);
    rooms = List.copyOf(rooms);
  }

  /**
   * One partition.
   *
   * @param owner {@code host:port} of its owner, or {@code local}, or null
   * @param lag sums in the log and not yet applied, as last seen
   * @param eventLag events in {@code sluice.room-events} of the same number and not yet summed by
   *     the same process, as last seen; -1 when another one sums them
   * @param rooms that are counted now
   * @param late events that came when their second had left every window
   * @param ahead events of a producer whose clock is ahead of all others'
   * @param shed rooms forgotten early since there were too many
   * @param decisionMillis of the last decisions, from the append of the sum to the verdict, sorted
   */
  public record PartitionHeat(
      int partition,
      PartitionStatus status,
      String owner,
      long lag,
      long eventLag,
      int rooms,
      long late,
      long ahead,
      long shed,
      List<Long> decisionMillis) {
    public PartitionHeat {
      decisionMillis = List.copyOf(decisionMillis);
    }
  }
}
