package dev.sluice.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.Membership;
import dev.sluice.contract.MembershipJson;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.contract.SumMark;
import dev.sluice.contract.Topics;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The way into {@code sluice.room-events} and {@code sluice.joins}. Thread-safe. */
public final class RoomLog implements AutoCloseable {
  private final Topics topics;
  private final RecordWriter writer;

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   */
  public RoomLog(Map<String, Object> kafka, Topics topics, CommandLog.Limits limits) {
    this.topics = topics;
    this.writer = new RecordWriter(kafka, "sluice-room-log", limits);
  }

  /**
   * Appends an event under its room's key, so that it can be fetched by the offset it is given.
   *
   * @param mark which sum will hold the event, or null if none does yet
   * @return where it stands in the log, completed on the producer's own thread, which must not be
   *     kept; fails with {@link LogUnavailableException}
   * @throws IllegalArgumentException if the event is too large
   */
  public CompletableFuture<Receipt> append(RoomEvent event, SumMark mark) {
    ProducerRecord<byte[], byte[]> record =
        record(topics.roomEvents(), event.roomId(), RoomEventJson.write(event));
    if (mark != null) {
      record.headers().add(SumMark.HEADER, mark.toHeader());
    }
    return write(record);
  }

  /**
   * Appends a join or a leave.
   *
   * @return as {@link #append(RoomEvent, SumMark)}
   */
  public CompletableFuture<Receipt> append(Membership membership) {
    return write(record(topics.joins(), membership.roomId(), MembershipJson.write(membership)));
  }

  private ProducerRecord<byte[], byte[]> record(String topic, String roomId, byte[] value) {
    byte[] key = roomId.getBytes(UTF_8);
    return new ProducerRecord<>(topic, Partitions.of(key, topics.partitions()), key, value);
  }

  private CompletableFuture<Receipt> write(ProducerRecord<byte[], byte[]> record) {
    return writer
        .write(record)
        .thenApply(stored -> new Receipt(stored.partition(), stored.offset(), stored.timestamp()));
  }

  @Override
  public void close() {
    writer.close();
  }
}
