package dev.sluice.contract;

/**
 * Proof of when a command arrived: its place in {@code sluice.entries} and the broker's append time
 * in milliseconds since the epoch.
 */
public record Receipt(int partition, long offset, long at) {}
