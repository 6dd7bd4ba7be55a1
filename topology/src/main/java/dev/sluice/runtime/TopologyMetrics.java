package dev.sluice.runtime;

import java.util.List;

/** Figures of the topology tier at one moment; all counts are since this process started. */
public record TopologyMetrics(
    String admissionState,
    String settingsState,
    long commandsApplied,
    long outcomesWritten,
    long invalidRecords,
    long entered,
    long admitted,
    long expired,
    long left,
    long completed,
    long rejected,
    long ticksSent,
    long configuresSent,
    long threadsReplaced,
    long callersWaiting,
    List<PartitionMetrics> partitions,
    RoomsMetrics rooms) {
  public TopologyMetrics {
    partitions = List.copyOf(partitions);
  }

  /** Figures of one partition owned here. */
  public record PartitionMetrics(
      int partition, String status, long applied, long lag, long waiting, long active) {}

  /**
   * Figures of the rooms application.
   *
   * @param eventsSummed of {@code sluice.room-events}
   * @param sumsSent to {@code sluice.room-counts}
   * @param eventsFed kept for fetching
   * @param memberships joins and leaves applied
   * @param sumsApplied of {@code sluice.room-counts}
   * @param turns rooms that became hot or cooled
   * @param hot rooms judged here that are
   * @param counted rooms
   * @param late events that came too late to count, by the owners of now
   * @param ahead events that claimed to be of the future, by the owners of now
   * @param shed rooms forgotten early, by the owners of now
   * @param beyond events not counted since their sum had too many cells, by the owners of now
   */
  public record RoomsMetrics(
      String state,
      long eventsSummed,
      long sumsSent,
      long eventsFed,
      long memberships,
      long sumsApplied,
      long turns,
      long hot,
      long counted,
      long late,
      long ahead,
      long shed,
      long beyond,
      long invalidRecords,
      long threadsReplaced,
      List<RoomsPartitionMetrics> partitions) {
    public RoomsMetrics {
      partitions = List.copyOf(partitions);
    }
  }

  /**
   * Figures of one partition of rooms owned here.
   *
   * @param lag events in the log and not yet summed, as last seen
   * @param joinLag joins and leaves in the log and not yet applied, as last seen
   */
  public record RoomsPartitionMetrics(int partition, String status, long lag, long joinLag) {}
}
