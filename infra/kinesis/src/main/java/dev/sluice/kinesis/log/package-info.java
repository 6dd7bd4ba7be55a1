/**
 * Streams on Kafka: their topics, how they are made, resharded and removed, and their records,
 * written behind a fence and read by offset.
 */
package dev.sluice.kinesis.log;
