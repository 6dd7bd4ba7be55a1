package dev.sluice.kinesis.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.kinesis.shard.Shard;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/**
 * What a record of a stream's topic says beside its key and value: the number of its shard, as 4
 * bytes, or that it is the marker behind the last record of one.
 */
final class ShardHeader {
  private static final String SHARD = "shard";
  private static final String MARKER = "marker";

  private ShardHeader() {}

  static List<Header> of(Shard shard) {
    return List.of(new RecordHeader(SHARD, ByteBuffer.allocate(4).putInt(shard.number()).array()));
  }

  /** Of the marker behind a shard; which one is for people to read. */
  static List<Header> marker(Shard shard) {
    return List.of(new RecordHeader(MARKER, shard.id().getBytes(UTF_8)));
  }

  static boolean names(ConsumerRecord<byte[], byte[]> record, Shard shard) {
    Header header = record.headers().lastHeader(SHARD);
    return header != null
        && header.value() != null
        && header.value().length == 4
        && ByteBuffer.wrap(header.value()).getInt() == shard.number();
  }
}
