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
    List<PartitionMetrics> partitions) {
  public TopologyMetrics {
    partitions = List.copyOf(partitions);
  }

  /** Figures of one partition owned here. */
  public record PartitionMetrics(
      int partition, String status, long applied, long lag, long waiting, long active) {}
}
