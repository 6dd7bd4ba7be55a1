package dev.sluice.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.Command;
import dev.sluice.contract.CommandJson;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Topics;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The way into {@code sluice.entries}. Thread-safe. */
public final class CommandLog implements AutoCloseable {
  private final Topics topics;
  private final RecordWriter writer;

  /**
   * How long and how much the log may make its caller wait.
   *
   * @param delivery from the call to the answer at most, from 100 ms; a quarter of it may block the
   *     caller's thread while the topic is not known or the buffer is full
   * @param linger how long to wait for more records to send together
   * @param maxInFlight commands appended and not yet answered
   */
  public record Limits(Duration delivery, Duration linger, int maxInFlight) {
    public static final Limits DEFAULT =
        new Limits(Duration.ofSeconds(3), Duration.ofMillis(2), 20_000);

    public Limits {
      if (delivery.toMillis() < 100 || linger.toMillis() * 4 > delivery.toMillis()) {
        throw new IllegalArgumentException(
            "delivery must be 100 ms at least and 4 times linger, not " + delivery);
      }
      if (maxInFlight < 1) {
        throw new IllegalArgumentException("maxInFlight must be 1 at least, not " + maxInFlight);
      }
    }

    Duration block() {
      return delivery.dividedBy(4);
    }
  }

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   */
  public CommandLog(Map<String, Object> kafka, Topics topics, Limits limits) {
    this.topics = topics;
    this.writer = new RecordWriter(kafka, "sluice-command-log", limits);
  }

  /**
   * Appends a command.
   *
   * @param partition the one that {@code roomId} belongs to, where there is a room
   * @param roomId the key, null for a command of the whole partition
   * @return where it stands in the log, completed on the producer's own thread, which must not be
   *     kept; fails with {@link LogUnavailableException}
   * @throws IllegalArgumentException if the command is too large
   */
  public CompletableFuture<Receipt> append(int partition, String roomId, Command command) {
    byte[] key = roomId == null ? null : roomId.getBytes(UTF_8);
    return writer
        .write(new ProducerRecord<>(topics.entries(), partition, key, CommandJson.write(command)))
        .thenApply(stored -> new Receipt(stored.partition(), stored.offset(), stored.timestamp()));
  }

  @Override
  public void close() {
    writer.close();
  }
}
