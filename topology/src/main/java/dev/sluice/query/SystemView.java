package dev.sluice.query;

import java.util.List;

/** All partitions of {@code sluice.entries} and the rooms with anyone in them. */
public record SystemView(List<PartitionView> partitions, List<RoomView> rooms) {
  public SystemView {
    partitions = List.copyOf(partitions);
    rooms = List.copyOf(rooms);
  }

  /** How a partition stands with its owner. */
  public enum PartitionStatus {
    /** State is being restored, or the log is being caught up with. */
    CATCHING_UP,
    READY,
    /** Stopped by a gap in the log or a fault; {@code detail} says which. */
    HALTED,
    /** No owner is known. */
    UNOWNED
  }

  /**
   * One partition.
   *
   * @param owner {@code host:port} of its owner, or {@code local}, or null
   * @param appliedOffset last applied, -1 for none
   * @param lag commands in the log and not yet applied, as last seen
   * @param detail words when halted, else null
   */
  public record PartitionView(
      int partition,
      PartitionStatus status,
      String owner,
      long appliedOffset,
      long lag,
      long rulesVersion,
      String detail) {}
}
