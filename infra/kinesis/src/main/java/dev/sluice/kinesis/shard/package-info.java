/**
 * What a stream is and how it changes: hash ranges, shards, sequence numbers, and each decision as
 * a function of the stream, the request and the time. No Kafka, HTTP or clock.
 */
package dev.sluice.kinesis.shard;
