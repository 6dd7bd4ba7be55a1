package dev.sluice.query;

/** The partitions of {@code sluice.entries} that this process owns. Thread-safe. */
public final class OwnedPartitions extends OwnedLogs<OwnedPartition> {}
