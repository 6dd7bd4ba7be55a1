package dev.sluice.kinesis.log;

import dev.sluice.kinesis.log.ShardWriter.Entry;
import dev.sluice.kinesis.log.ShardWriter.Put;
import dev.sluice.kinesis.shard.StreamState;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The way of records into streams. Thread-safe. */
@FunctionalInterface
public interface EntryWriter {
  /**
   * Puts records; those of one partition key in their order. May block while the buffer is full,
   * for 2 seconds at most.
   *
   * @param stream they are for, as the table has it
   * @return what came of each, in the order of the entries; an entry that failed with {@code
   *     InternalFailure} may be stored all the same. Fails with {@link
   *     dev.sluice.kinesis.shard.KinesisException} if the stream takes none, or is gone meanwhile,
   *     and then nobody can read what may be stored
   */
  CompletableFuture<List<Put>> put(StreamState stream, List<Entry> entries);
}
