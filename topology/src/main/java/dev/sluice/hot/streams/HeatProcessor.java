package dev.sluice.hot.streams;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.Audience;
import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.HotVerdictJson;
import dev.sluice.contract.InvalidRecordException;
import dev.sluice.contract.Partitions;
import dev.sluice.contract.RoomCount;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.Topics;
import dev.sluice.hot.HeatPartition;
import dev.sluice.hot.HeatPartition.Decision;
import dev.sluice.hot.HeatReader;
import dev.sluice.hot.HotRules;
import dev.sluice.log.DeadLetter;
import dev.sluice.query.OwnedPart;
import dev.sluice.streams.Destined;
import dev.sluice.streams.WriteBehind;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The heat of one partition's rooms between its log and its store. All is rebuilt from the store in
 * every {@link #init}, whether the object is new or not.
 */
final class HeatProcessor implements Processor<byte[], byte[], Destined, byte[]> {
  private static final Logger LOG = LoggerFactory.getLogger(HeatProcessor.class);
  private static final Duration TICK = Duration.ofMillis(100);
  private static final Set<Integer> ONLY_PARTITION = Set.of(0);

  /** How long verdicts of the owner before may still arrive. */
  private static final long ADOPTS_MILLIS = 5_000;

  private final Topics topics;
  private final HeatNodes.Surroundings surroundings;
  private final ReentrantLock lock = new ReentrantLock();

  private ProcessorContext<Destined, byte[]> context;
  private int partition;
  private HeatRows rows;
  private HeatPartition heat;
  private KeyValueStore<Bytes, byte[]> known;
  private OwnedPart<HeatReader> owned;
  private Cancellable ticking;
  private long begun;

  /**
   * Rooms of which nothing can be taken over: they turned since, or their verdict is unreadable.
   */
  private final Set<String> turned = new HashSet<>();

  HeatProcessor(Topics topics, HeatNodes.Surroundings surroundings) {
    this.topics = topics;
    this.surroundings = surroundings;
  }

  @Override
  public void init(ProcessorContext<Destined, byte[]> context) {
    this.context = context;
    partition = context.taskId().partition();
    rows = new HeatRows(context.getStateStore(HeatNodes.HEAT_STORE));
    known = context.getStateStore(HeatNodes.HOT_ROOMS_KNOWN);
    heat = new HeatPartition(surroundings.maxRooms(), this::decided);
    turned.clear();
    begun = steady();
    rows.restoreTo(heat, begun);
    adopt();
    WriteBehind writeBehind = context.getStateStore(HeatNodes.WRITE_BEHIND_STORE);
    writeBehind.beforeCommit(context, this::write);
    owned =
        new OwnedPart<>(
            partition,
            new HeatReader(heat, lock, surroundings.steady()),
            surroundings.maxWaiters(),
            surroundings.answers());
    ticking = context.schedule(TICK, PunctuationType.WALL_CLOCK_TIME, this::tick);
    surroundings.owned().opened(owned);
  }

  private long steady() {
    return surroundings.steady().getAsLong();
  }

  @Override
  public void process(Record<byte[], byte[]> record) {
    long offset = context.recordMetadata().map(RecordMetadata::offset).orElseThrow();
    try {
      take(RoomCountJson.read(text(record.key()), record.value()), record);
    } catch (InvalidRecordException e) {
      bury(record, offset, e.getMessage());
    }
    owned.applied(offset);
  }

  private void take(RoomCount count, Record<byte[], byte[]> record) throws InvalidRecordException {
    int belongs = Partitions.of(record.key(), topics.partitions());
    if (belongs != partition) {
      throw new InvalidRecordException("its key belongs to partition " + belongs);
    }
    lock.lock();
    try {
      judgeByRulesInForce();
      heat.apply(count, record.timestamp(), steady());
    } finally {
      lock.unlock();
    }
    if (count instanceof Audience) {
      surroundings.counters().audience();
    } else {
      surroundings.counters().sum();
    }
  }

  private void tick(long wallClock) {
    lock.lock();
    try {
      if (isAdopting()) {
        adopt();
      }
      judgeByRulesInForce();
      heat.tick(steady());
    } finally {
      lock.unlock();
    }
  }

  private boolean isAdopting() {
    return steady() - begun < ADOPTS_MILLIS;
  }

  private void judgeByRulesInForce() {
    HotRules rules = surroundings.rules().get();
    if (rules != null) {
      heat.judgeBy(rules, steady());
    }
  }

  /** Takes over what the owner before has said and this state doesn't know. */
  private void adopt() {
    try (KeyValueIterator<Bytes, byte[]> all = known.all()) {
      while (all.hasNext()) {
        KeyValue<Bytes, byte[]> one = all.next();
        String roomId = text(one.key.get());
        if (Partitions.of(one.key.get(), topics.partitions()) == partition
            && !turned.contains(roomId)
            && !heat.isHot(roomId)) {
          adopt(roomId, one.value);
        }
      }
    }
  }

  private void adopt(String roomId, byte[] value) {
    try {
      HotVerdict verdict = HotVerdictJson.read(roomId, value);
      heat.adopt(verdict);
      LOG.info("Room {} is hot by the verdict of the owner before", roomId);
    } catch (InvalidRecordException e) {
      turned.add(roomId);
      LOG.warn("The verdict on room {} can't be read: {}", roomId, e.getMessage());
    }
  }

  private void decided(Decision decision) {
    byte[] verdict = decision.verdict() == null ? null : HotVerdictJson.write(decision.verdict());
    context.forward(
        new Record<>(
            new Destined(ONLY_PARTITION, decision.roomId().getBytes(UTF_8)),
            verdict,
            context.currentSystemTimeMs()),
        HeatNodes.HOT_ROOMS_SINK);
    if (!decision.isTurn()) {
      return;
    }
    if (isAdopting()) {
      turned.add(decision.roomId());
    }
    surroundings.counters().turn();
    if (verdict == null) {
      LOG.info("Room {} has cooled", decision.roomId());
    } else {
      LOG.info(
          "Room {} is hot: {} at {}, threshold {} in {} s",
          decision.roomId(),
          decision.verdict().because(),
          decision.verdict().rate(),
          decision.verdict().threshold(),
          decision.verdict().windowSeconds());
    }
  }

  private void write() {
    lock.lock();
    try {
      heat.drainTo(rows);
    } finally {
      lock.unlock();
    }
  }

  private void bury(Record<byte[], byte[]> record, long offset, String reason) {
    DeadLetter.Origin origin =
        new DeadLetter.Origin(topics.roomCounts(), partition, offset, record.timestamp());
    context.forward(Destined.deadLetter(record, origin, reason), HeatNodes.DEAD_LETTERS_SINK);
    surroundings.counters().invalid();
    LOG.warn("Count {} of partition {} is dead-lettered: {}", offset, partition, reason);
  }

  private static String text(byte[] key) {
    return key == null ? null : new String(key, UTF_8);
  }

  @Override
  public void close() {
    if (owned != null) {
      ticking.cancel();
      surroundings.owned().closed(owned);
    }
  }
}
