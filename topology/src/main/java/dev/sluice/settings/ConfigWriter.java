package dev.sluice.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.Topics;
import dev.sluice.log.CommandLog;
import dev.sluice.log.RecordWriter;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Writes to {@code config} what an operator wants. Thread-safe. */
public final class ConfigWriter implements AutoCloseable {
  private final Topics topics;
  private final RecordWriter writer;

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   */
  public ConfigWriter(Map<String, Object> kafka, Topics topics) {
    this.topics = topics;
    this.writer = new RecordWriter(kafka, "sluice-config-writer", CommandLog.Limits.DEFAULT);
  }

  /**
   * Asks for a value; it is in force once the gate has accepted it.
   *
   * @param who asks, for the history; may be null
   * @return its offset in {@code config}; fails with {@link BadSettingException}, or {@link
   *     dev.sluice.log.LogUnavailableException}
   */
  public CompletableFuture<Long> put(
      SettingKey<?> key, SettingScope scope, String json, String who) {
    try {
      SettingAddress address = SettingAddress.of(key, scope);
      return write(address, key.check(json).json().getBytes(UTF_8), who);
    } catch (BadSettingException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Asks for a value to be forgotten; as {@link #put}. */
  public CompletableFuture<Long> unset(SettingKey<?> key, SettingScope scope, String who) {
    try {
      return write(SettingAddress.of(key, scope), null, who);
    } catch (BadSettingException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<Long> write(SettingAddress address, byte[] value, String who) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(topics.config(), 0, address.toString().getBytes(UTF_8), value);
    if (who != null) {
      record.headers().add(GateTopology.WHO, who.getBytes(UTF_8));
    }
    return writer.write(record).thenApply(RecordMetadata::offset);
  }

  @Override
  public void close() {
    writer.close();
  }
}
