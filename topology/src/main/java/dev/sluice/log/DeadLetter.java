package dev.sluice.log;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * A record that could not be used, as kept in {@code sluice.dlq}.
 *
 * @param id its place there, {@code partition-offset}
 * @param at when it was put there, milliseconds since the epoch
 * @param key as it came, read as UTF-8 and cut when long, or null
 * @param value as it came, read as UTF-8 and cut when long, or null
 * @param size of the value in bytes
 * @param redriven the last time it was sent again, if it was
 */
public record DeadLetter(
    String id,
    long at,
    String key,
    String value,
    int size,
    String reason,
    Origin origin,
    Optional<Redriven> redriven) {
  /** Where a record stood when it was found unusable. */
  public record Origin(String topic, int partition, long offset, long timestamp) {
    public static Origin of(ConsumerRecord<?, ?> consumed) {
      return new Origin(
          consumed.topic(), consumed.partition(), consumed.offset(), consumed.timestamp());
    }
  }

  /** Where a record went when it was sent again, and when. */
  public record Redriven(String topic, int partition, long offset, long at) {}

  /**
   * The headers of a record for {@code sluice.dlq}: those it came with, and the reason and origin.
   */
  public static Headers headers(Headers asItCame, String reason, Origin origin) {
    return new RecordHeaders(asItCame.toArray());
  }
}
