package dev.sluice.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.contract.Topics;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is said in rooms from now on: reads all partitions of {@code sluice.room-events} and tells a
 * listener of each message that can be fetched, in order within a room. A broker that is away is
 * waited for.
 */
public final class RoomEventFeed implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RoomEventFeed.class);

  private final Topics topics;
  private final Predicate<String> wanted;
  private final Listener listener;
  private final TopicReader reader;

  /** Who hears it. */
  @FunctionalInterface
  public interface Listener {
    /**
     * A record is at hand; all before it in its partition have been told or passed over. Called
     * before anything is asked or told about it.
     */
    default void reads(int partition, long offset) {}

    /**
     * Something was said in a room.
     *
     * @param cursor its offset in the room's partition
     */
    void said(String roomId, long cursor);
  }

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param wanted whether anybody wants to hear of a room; records of others aren't parsed. Asked
   *     for each record, with any text
   * @param listener called, as {@code wanted}, by one thread; what it throws is logged and the feed
   *     goes on
   */
  public RoomEventFeed(
      Map<String, Object> kafka, Topics topics, Predicate<String> wanted, Listener listener) {
    this.topics = topics;
    this.wanted = wanted;
    this.listener = listener;
    this.reader =
        TopicReader.fromNowOn(
            kafka, "sluice-room-event-feed", topics.roomEvents(), topics.partitions(), this::tell);
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
    listener.reads(record.partition(), record.offset());
    if (record.key() == null) {
      return;
    }
    String key = new String(record.key(), UTF_8);
    if (!wanted.test(key)
        || Partitions.of(record.key(), topics.partitions()) != record.partition()) {
      return;
    }
    try {
      RoomEvent event = RoomEventJson.read(record.value());
      if (event.kind() == EventKind.MESSAGE && event.roomId().equals(key)) {
        listener.said(key, record.offset());
      }
    } catch (InvalidRecordException e) {
      LOG.debug("Passed over {} of {}: {}", record.offset(), record.topic(), e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("A listener failed at {} of room {}", record.offset(), key, e);
    }
  }

  /** Stops; returns once no listener is called any more, within 5 seconds. */
  @Override
  public void close() {
    reader.close();
  }
}
