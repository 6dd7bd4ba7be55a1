package dev.sluice.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.Audience;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.Topics;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of audiences into {@code sluice.room-counts}. One that can't be written is let go, since
 * audiences are told again and again. Thread-safe.
 */
public final class AudienceLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AudienceLog.class);
  private static final CommandLog.Limits LIMITS =
      new CommandLog.Limits(Duration.ofSeconds(2), Duration.ofMillis(20), 50_000);

  private final Topics topics;
  private final RecordWriter writer;

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   */
  public AudienceLog(Map<String, Object> kafka, Topics topics) {
    this.topics = topics;
    this.writer = new RecordWriter(kafka, "sluice-audience-log", LIMITS);
  }

  /** Appends an audience. May block for half a second while the topic is not known. */
  public void append(Audience audience) {
    var unused =
        writer
            .write(
                new ProducerRecord<>(
                    topics.roomCounts(),
                    audience.roomId().getBytes(UTF_8),
                    RoomCountJson.write(audience)))
            .exceptionally(
                failure -> {
                  LOG.debug("The audience of {} was not written", audience.roomId(), failure);
                  return null;
                });
  }

  @Override
  public void close() {
    writer.close();
  }
}
