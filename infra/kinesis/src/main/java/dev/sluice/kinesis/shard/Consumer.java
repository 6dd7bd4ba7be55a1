package dev.sluice.kinesis.shard;

/**
 * Who is registered to have a stream's records pushed.
 *
 * @param created in milliseconds since the epoch
 */
public record Consumer(String name, long created) {}
