package dev.sluice.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.HotVerdictJson;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Topics;
import dev.sluice.hot.HotRooms;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows {@code sluice.hot-rooms} from its beginning. An owner renews its verdicts; one that isn't
 * renewed for half a minute belongs to an owner that is gone, and no longer counts. Thread-safe;
 * started and closed once.
 */
public final class HotRoomsFollower implements HotRooms, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HotRoomsFollower.class);
  private static final long KEPT_NANOS = Duration.ofSeconds(30).toNanos();

  private final TopicPartition hotRooms;
  private final LongSupplier nanos;
  private final TopicReader reader;
  private final Map<String, Renewed> rooms = new ConcurrentHashMap<>();
  private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Void> readToEnd = new CompletableFuture<>();
  private long end;

  private record Renewed(HotVerdict verdict, long atNanos) {}

  /**
   * Needs no broker to be there yet.
   *
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param nanos a clock that only goes forward, in nanoseconds
   */
  public HotRoomsFollower(Map<String, Object> kafka, Topics topics, LongSupplier nanos) {
    this.hotRooms = new TopicPartition(topics.hotRooms(), 0);
    this.nanos = nanos;
    this.reader = new TopicReader(kafka, "sluice-hot-rooms-follower", new Follow());
  }

  /** Starts to read; returns at once. */
  public void start() {
    reader.start();
  }

  /** Completes once everything that stood in the topic at the start is known; never fails. */
  public CompletableFuture<Void> readToEnd() {
    return readToEnd.copy();
  }

  @Override
  public HotVerdict verdict(String roomId) {
    Renewed found = rooms.get(roomId);
    return found == null ? null : found.verdict();
  }

  @Override
  public List<HotVerdict> all() {
    return rooms.values().stream().map(Renewed::verdict).toList();
  }

  @Override
  public void onChange(Consumer<Change> listener) {
    listeners.add(listener);
  }

  private final class Follow implements TopicReader.Reading {
    @Override
    public void begin(KafkaConsumer<byte[], byte[]> consumer) {
      consumer.assign(List.of(hotRooms));
      consumer.seekToBeginning(List.of(hotRooms));
      end = consumer.endOffsets(List.of(hotRooms)).get(hotRooms);
    }

    @Override
    public void take(
        KafkaConsumer<byte[], byte[]> consumer, ConsumerRecords<byte[], byte[]> records) {
      records.forEach(HotRoomsFollower.this::take);
      forgetUnrenewed();
      if (!readToEnd.isDone() && consumer.position(hotRooms) >= end) {
        readToEnd.complete(null);
      }
    }
  }

  private void take(ConsumerRecord<byte[], byte[]> record) {
    if (record.key() == null) {
      return;
    }
    String roomId = new String(record.key(), UTF_8);
    if (record.value() == null) {
      Renewed before = rooms.remove(roomId);
      if (before != null) {
        tell(new Change(roomId, before.verdict(), null));
      }
      return;
    }
    try {
      HotVerdict verdict = HotVerdictJson.read(roomId, record.value());
      Renewed before = rooms.put(roomId, new Renewed(verdict, nanos.getAsLong()));
      tell(new Change(roomId, before == null ? null : before.verdict(), verdict));
    } catch (InvalidRecordException e) {
      LOG.warn("Passed over {} of {}: {}", record.offset(), record.topic(), e.getMessage());
    }
  }

  private void forgetUnrenewed() {
    long now = nanos.getAsLong();
    Iterator<Map.Entry<String, Renewed>> all = rooms.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, Renewed> room = all.next();
      if (now - room.getValue().atNanos() > KEPT_NANOS) {
        all.remove();
        LOG.warn("Nobody renews the verdict on room {}: it counts as cooled", room.getKey());
        tell(new Change(room.getKey(), room.getValue().verdict(), null));
      }
    }
  }

  private void tell(Change change) {
    for (Consumer<Change> listener : listeners) {
      try {
        listener.accept(change);
      } catch (RuntimeException e) {
        LOG.error("A listener failed at room {}", change.roomId(), e);
      }
    }
  }

  /** Stops; returns once no listener is called any more, within 5 seconds. */
  @Override
  public void close() {
    reader.close();
  }
}
