/**
 * The table of streams, shared by all instances of the endpoint: one JSON document a stream in a
 * compacted topic of one partition, changed by one instance at a time.
 */
package dev.sluice.kinesis.table;
