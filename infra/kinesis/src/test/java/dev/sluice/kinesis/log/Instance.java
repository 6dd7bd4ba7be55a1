package dev.sluice.kinesis.log;

import dev.sluice.kinesis.TestBroker;
import dev.sluice.kinesis.log.ShardReader.Batch;
import dev.sluice.kinesis.log.ShardReader.StoredRecord;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.shard.StreamState.Mode;
import dev.sluice.kinesis.shard.StreamState.Status;
import dev.sluice.kinesis.table.StreamTable;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What one instance of the endpoint has below HTTP. */
final class Instance implements AutoCloseable {
  static final Account ACCOUNT = Account.DEFAULT;

  final StreamTable table;
  final ShardWriter writer;
  final Streams streams;
  final ShardReader reader;

  Instance(String prefix, Clock clock, Duration takeOver, Map<String, String> others) {
    Map<String, Object> kafka = TestBroker.clients();
    table = new StreamTable(kafka, prefix + "kinesis-streams", (short) 1);
    writer = new ShardWriter(kafka, prefix, table, ACCOUNT, Set.of(prefix + "written"));
    streams =
        new Streams(kafka, prefix, (short) 1, table, writer, ACCOUNT, clock, takeOver, others);
    reader = new ShardReader(kafka, prefix, clock, 4);
    table.start();
    streams.start();
  }

  StreamState create(String name, int shards) {
    streams.create(name, Mode.PROVISIONED, shards, 1_024, Map.of()).join();
    return active(name);
  }

  /** The stream once nothing is under way. */
  StreamState active(String name) {
    table.ready().join();
    table.readToEnd().join();
    return table.when(name, stream -> stream != null && stream.status() == Status.ACTIVE).join();
  }

  /** All records of a shard, in batches of {@code limit}. */
  List<StoredRecord> all(StreamState stream, Shard shard, int limit) {
    List<StoredRecord> all = new ArrayList<>();
    long end = reader.latest(stream, shard);
    for (long offset = 0; offset < end; ) {
      Batch batch = reader.read(stream, shard, offset, limit);
      all.addAll(batch.records());
      offset = batch.next();
    }
    return all;
  }

  @Override
  public void close() {
    streams.close();
    writer.close();
    reader.close();
    table.close();
  }
}
