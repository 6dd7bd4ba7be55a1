package dev.sluice.rooms.streams;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomEventJson;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.SumMark;
import dev.sluice.contract.Topics;
import dev.sluice.log.DeadLetter;
import dev.sluice.query.OwnedPart;
import dev.sluice.rooms.AppendClock;
import dev.sluice.rooms.Feed;
import dev.sluice.rooms.LoggedSums;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingsView;
import dev.sluice.streams.Destined;
import dev.sluice.streams.WriteBehind;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first stage of counting in one partition of {@code sluice.room-events}: sums each event and
 * keeps messages for fetching, those under the key of their room.
 *
 * <p>All is rebuilt from the store in every {@link #init}, whether the object is new or not.
 */
final class IntakeProcessor implements Processor<byte[], byte[], Destined, byte[]> {
  private static final Logger LOG = LoggerFactory.getLogger(IntakeProcessor.class);
  private static final Duration FLUSH_EVERY = Duration.ofMillis(50);

  /** Part of a room's threshold that is sent at once. */
  private static final int EARLY_PARTS = 10;

  private final Topics topics;
  private final RoomsTopology.Surroundings surroundings;

  private ProcessorContext<Destined, byte[]> context;
  private int partition;
  private RoomsRows rows;
  private AppendClock clock;
  private LoggedSums sums;
  private Feed feed;
  private OwnedPart<Feed> owned;
  private Cancellable flushing;
  private boolean seenSinceFlush;

  IntakeProcessor(Topics topics, RoomsTopology.Surroundings surroundings) {
    this.topics = topics;
    this.surroundings = surroundings;
  }

  @Override
  public void init(ProcessorContext<Destined, byte[]> context) {
    this.context = context;
    partition = context.taskId().partition();
    clock = new AppendClock();
    rows = new RoomsRows(context.getStateStore(RoomsTopology.ROOMS_STORE));
    sums = new LoggedSums("room-events-" + partition, rows, this::early, this::send);
    feed = new Feed(rows, this::keptOf);
    feed.at(now());
    owned = new OwnedPart<>(partition, feed, surroundings.maxWaiters(), surroundings.answers());
    WriteBehind writeBehind = context.getStateStore(RoomsTopology.WRITE_BEHIND_STORE);
    writeBehind.beforeCommit(context, this::write);
    flushing = context.schedule(FLUSH_EVERY, PunctuationType.WALL_CLOCK_TIME, this::flush);
    surroundings.feeds().opened(owned);
  }

  private long early(String roomId) {
    int threshold = surroundings.settings().get().of(SettingKey.HOT_THRESHOLD, roomId);
    return Math.max(1, threshold / EARLY_PARTS);
  }

  private Feed.Limits keptOf(String roomId) {
    SettingsView settings = surroundings.settings().get();
    return new Feed.Limits(
        settings.of(SettingKey.ROOM_KEEP_EVENTS, roomId),
        settings.of(SettingKey.ROOM_KEEP_FOR, roomId).toMillis());
  }

  private long now() {
    return clock.at(context.currentSystemTimeMs());
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    long offset = context.recordMetadata().map(RecordMetadata::offset).orElseThrow();
    clock.seen(record.timestamp(), context.currentSystemTimeMs());
    seenSinceFlush = true;
    try {
      take(record, offset, RoomEventJson.read(record.value()));
    } catch (InvalidRecordException e) {
      bury(record, offset, e.getMessage());
    }
    owned.applied(offset);
  }

  private void take(Record<byte[], byte[]> record, long offset, RoomEvent event) {
    Header header = record.headers().lastHeader(SumMark.HEADER);
    SumMark mark = header == null ? null : SumMark.fromHeader(header.value());
    long now = now();
    sums.add(offset, record.timestamp(), event, mark, now);
    surroundings.counters().summed();
    if (event.kind() == EventKind.MESSAGE && isInItsRoom(record.key(), event.roomId())) {
      feed.at(now);
      feed.add(event.roomId(), offset, record.timestamp(), record.value());
      surroundings.counters().fed();
    }
  }

  private boolean isInItsRoom(byte[] key, String roomId) {
    return key != null
        && Arrays.equals(key, roomId.getBytes(UTF_8))
        && Partitions.of(key, topics.partitions()) == partition;
  }

  private void flush(long here) {
    if (!seenSinceFlush) {
      clock.quiet();
    }
    seenSinceFlush = false;
    long now = now();
    feed.at(now);
    sums.flush(now);
  }

  private void write() {
    sums.write(now());
    feed.write();
  }

  private void send(RoomSum sum) {
    byte[] key = sum.roomId().getBytes(UTF_8);
    context.forward(
        new Record<>(
            new Destined(Set.of(Partitions.of(key, topics.partitions())), key),
            RoomCountJson.write(sum),
            now()),
        RoomsTopology.ROOM_COUNTS_SINK);
    surroundings.counters().sum();
  }

  private void bury(Record<byte[], byte[]> record, long offset, String reason) {
    DeadLetter.Origin origin =
        new DeadLetter.Origin(topics.roomEvents(), partition, offset, record.timestamp());
    context.forward(Destined.deadLetter(record, origin, reason), RoomsTopology.DEAD_LETTERS_SINK);
    surroundings.counters().invalid();
    LOG.warn("Event {} of partition {} is dead-lettered: {}", offset, partition, reason);
  }

  @Override
  public void close() {
    if (owned != null) {
      flushing.cancel();
      surroundings.feeds().closed(owned);
      rows.closeToOthers();
    }
  }
}
