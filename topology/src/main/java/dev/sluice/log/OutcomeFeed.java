package dev.sluice.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.OutcomeJson;
import dev.sluice.contract.Topics;
import dev.sluice.contract.Version;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Everything that happens from now on: reads all partitions of {@code sluice.outcomes}, without
 * waiting for commits, and tells a listener each outcome once, in order within a partition. A
 * broker that is away is waited for.
 */
public final class OutcomeFeed implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OutcomeFeed.class);

  private final Consumer<Outcome> listener;
  private final Version[] newest;
  private final TopicReader reader;

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param listener called by one thread; what it throws is logged and the feed goes on
   */
  public OutcomeFeed(Map<String, Object> kafka, Topics topics, Consumer<Outcome> listener) {
    this.listener = listener;
    this.newest = new Version[topics.partitions()];
    this.reader =
        TopicReader.fromNowOn(
            kafka, "sluice-outcome-feed", topics.outcomes(), topics.partitions(), this::tell);
  }

  /** Starts at the end of the log; returns at once. Once only. */
  public void start() {
    reader.start();
  }

  /** Completes when the feed stands at the end; from then on it misses nothing. Never fails. */
  public CompletableFuture<Void> ready() {
    return reader.ready();
  }

  private void tell(ConsumerRecord<byte[], byte[]> record) {
    Outcome outcome;
    try {
      String key = record.key() == null ? null : new String(record.key(), UTF_8);
      outcome = OutcomeJson.read(key, record.value());
    } catch (InvalidRecordException e) {
      LOG.warn("Passed over {} of {}: {}", record.offset(), record.topic(), e.getMessage());
      return;
    }
    Version version = outcome.version();
    Version seen = newest[record.partition()];
    if (seen != null && !version.isNewerThan(seen)) {
      return;
    }
    newest[record.partition()] = version;
    try {
      listener.accept(outcome);
    } catch (RuntimeException e) {
      LOG.error("A listener failed at outcome {}", version, e);
    }
  }

  /** Stops; returns once no listener is called any more, within 5 seconds. */
  @Override
  public void close() {
    reader.close();
  }
}
