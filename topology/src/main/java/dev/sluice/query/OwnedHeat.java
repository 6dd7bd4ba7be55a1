package dev.sluice.query;

import dev.sluice.query.HeatSystem.PartitionHeat;
import java.util.List;

/**
 * A partition of {@code sluice.room-counts} owned by this process. Thread-safe. Reads fail with a
 * {@link QueryException} while there is no sure answer.
 */
public interface OwnedHeat {
  int partition();

  /** How busy a room is; one of which nothing is known has rate 0. */
  RoomHeat room(String roomId);

  /** The rooms that are hot, hottest first. */
  List<RoomHeat> hot();

  /**
   * The rooms that are hot and those nearest to their threshold, hottest first; empty while there
   * is no sure answer.
   */
  List<RoomHeat> busiest(int limit);

  /** How it stands; in any state. */
  PartitionHeat status(String owner, long eventLag);
}
