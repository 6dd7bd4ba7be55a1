package dev.sluice.kinesis.call;

import dev.sluice.kinesis.shard.StreamState;

/**
 * Where to go on reading or listing, as a client carries it from one call to the next.
 *
 * @param stream its name; for a list of streams, the last one listed
 * @param created of the stream, in milliseconds since the epoch; tells it from a later one
 * @param shard number of the shard to read, or of the last one listed
 * @param value the offset to read from, or the time of a list's filter
 * @param word the type of a list's filter, or the last consumer listed; may be empty
 */
record Token(String stream, long created, int shard, long value, String word) {
  static Token iterator(StreamState stream, int shard, long offset) {
    return new Token(stream.name(), stream.created(), shard, offset, "");
  }
}
