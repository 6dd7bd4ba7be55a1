package dev.sluice.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.Optional;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * A record that could not be used, as kept in {@code sluice.dlq}.
 *
 * @param id its place there, {@code partition-offset}
 * @param at when it was put there, milliseconds since the epoch
 * @param key as it came, read as UTF-8 and cut when long, or null
 * @param value as it came, read as UTF-8 and cut when long, or null
 * @param size of the value in bytes, as it came
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
  /** The most of a key or value that is kept, in bytes. */
  public static final int MAX_BYTES = 256 * 1024;

  static final String REASON = "sluice-dlq-reason";
  static final String ORIGIN_TOPIC = "sluice-dlq-origin-topic";
  static final String ORIGIN_PARTITION = "sluice-dlq-origin-partition";
  static final String ORIGIN_OFFSET = "sluice-dlq-origin-offset";
  static final String ORIGIN_TIMESTAMP = "sluice-dlq-origin-timestamp";

  /** Of a value that was cut: its size as it came. */
  static final String SIZE = "sluice-dlq-size";

  /** Of a record that was sent again: its {@link #id} here. */
  static final String REDRIVEN_FROM = "sluice-dlq-redriven-from";

  /** Of a note in {@code sluice.dlq}, without value, that a record was sent again. */
  static final String REDRIVEN_TO_TOPIC = "sluice-dlq-redriven-to-topic";

  static final String REDRIVEN_TO_PARTITION = "sluice-dlq-redriven-to-partition";
  static final String REDRIVEN_TO_OFFSET = "sluice-dlq-redriven-to-offset";

  private static final String OURS = "sluice-dlq-";
  private static final int MAX_REASON = 500;
  private static final int MAX_HEADERS = 64 * 1024;

  long offset() {
    return Long.parseLong(id.substring(id.indexOf('-') + 1));
  }

  /** Where a record stood when it was found unusable. */
  public record Origin(String topic, int partition, long offset, long timestamp) {
    /** Of a record that doesn't say. */
    public static final Origin UNKNOWN = new Origin("", -1, -1, -1);

    static Origin of(Headers headers) {
      String topic = text(headers, ORIGIN_TOPIC);
      long partition = number(headers, ORIGIN_PARTITION);
      long offset = number(headers, ORIGIN_OFFSET);
      return topic == null || partition < 0 || partition > Integer.MAX_VALUE || offset < 0
          ? UNKNOWN
          : new Origin(topic, (int) partition, offset, number(headers, ORIGIN_TIMESTAMP));
    }

    void addTo(Headers headers) {
      add(headers, ORIGIN_TOPIC, topic);
      add(headers, ORIGIN_PARTITION, Integer.toString(partition));
      add(headers, ORIGIN_OFFSET, Long.toString(offset));
      add(headers, ORIGIN_TIMESTAMP, Long.toString(timestamp));
    }
  }

  /** Where a record went when it was sent again, and when. */
  public record Redriven(String topic, int partition, long offset, long at) {}

  /**
   * The headers of a record for {@code sluice.dlq}: those it came with, the reason and the origin.
   *
   * @param value as it came, which is to be written as {@link #kept}
   */
  public static Headers headers(Headers asItCame, byte[] value, String reason, Origin origin) {
    Headers headers = headersOfOthers(asItCame);
    Header redriven = asItCame.lastHeader(REDRIVEN_FROM);
    if (redriven != null) {
      headers.add(redriven);
    }
    add(headers, REASON, cut(reason, MAX_REASON));
    origin.addTo(headers);
    if (value != null && value.length > MAX_BYTES) {
      add(headers, SIZE, Integer.toString(value.length));
    }
    return headers;
  }

  /** A key or value as it came, or its beginning if it is too large to keep. */
  public static byte[] kept(byte[] asItCame) {
    return asItCame == null || asItCame.length <= MAX_BYTES
        ? asItCame
        : Arrays.copyOf(asItCame, MAX_BYTES);
  }

  /** Without those of dead letters, and without those above a bound of their sizes together. */
  static Headers headersOfOthers(Headers headers) {
    Headers others = new RecordHeaders();
    int size = 0;
    for (Header header : headers) {
      size += header.key().length() + (header.value() == null ? 0 : header.value().length);
      if (size > MAX_HEADERS) {
        break;
      }
      if (!header.key().startsWith(OURS)) {
        others.add(header);
      }
    }
    return others;
  }

  static void add(Headers headers, String name, String value) {
    headers.add(name, value.getBytes(UTF_8));
  }

  static String text(Headers headers, String name) {
    Header header = headers.lastHeader(name);
    return header == null || header.value() == null ? null : new String(header.value(), UTF_8);
  }

  static long number(Headers headers, String name) {
    String text = text(headers, name);
    try {
      return text == null ? -1 : Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  static String cut(String text, int max) {
    return text.length() <= max ? text : text.substring(0, max);
  }
}
