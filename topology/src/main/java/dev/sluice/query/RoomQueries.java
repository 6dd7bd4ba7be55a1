package dev.sluice.query;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Reads what is known of rooms, wherever its owner is. Thread-safe. Every future completes within
 * the time that a read may take, exceptionally with a {@link QueryException} when there is no sure
 * answer.
 */
public interface RoomQueries {
  /** The cursor before everything. */
  long BEGINNING = -1;

  /** The partition of {@code sluice.room-events} that a room's events belong to. */
  int partitionOf(String roomId);

  /**
   * What was said in a room after a cursor, of what is still kept.
   *
   * @param after a cursor, or {@link #BEGINNING}. The answer reflects at least that much of the log
   * @param upTo the answer reflects at least so much of the log; {@link #BEGINNING}: any
   * @param limit most events in the page; 0: none, only the cursor of the newest
   */
  CompletableFuture<FeedPage> feed(String roomId, long after, long upTo, int limit);

  /** How many people are in a room. */
  CompletableFuture<Long> members(String roomId);

  /** How busy a room is; one of which nothing is known has rate 0. */
  CompletableFuture<RoomHeat> heat(String roomId);

  /** The rooms that are hot, hottest first; fails if a partition has no sure answer. */
  CompletableFuture<List<RoomHeat>> hot();

  /** All partitions and the busiest rooms; a partition without an answer is UNOWNED. */
  CompletableFuture<HeatSystem> heatSystem();
}
