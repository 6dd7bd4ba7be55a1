package dev.sluice.hot.streams;

import dev.sluice.contract.Topics;
import dev.sluice.hot.HeatReader;
import dev.sluice.hot.HotRules;
import dev.sluice.query.OwnedLogs;
import dev.sluice.query.OwnedPart;
import dev.sluice.streams.ByteSource;
import dev.sluice.streams.Destined;
import dev.sluice.streams.LoggedStore;
import dev.sluice.streams.WriteBehind;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * The second stage of counting: a sub-topology of its own, so that no backlog of events holds its
 * sums up.
 *
 * <pre>
 *   room-counts --&gt; [heat] --&gt; hot-rooms - - -&gt; hot-rooms-known (global)
 *                     |  \----&gt; dlq                     |
 *            heat, heat-write-behind &lt;- - - - - - - - - +
 * </pre>
 *
 * <p>Verdicts are read back because state and verdict aren't written in one step: one that was
 * written just before a crash may be unknown to the state after it. Whoever takes the partition
 * over then adopts it, and it cools in its time instead of staying hot for ever.
 */
public final class HeatNodes {
  /** Reads {@code sluice.room-counts}. */
  public static final String ROOM_COUNTS_SOURCE = "room-counts-source";

  /** Adds sums up and judges. */
  public static final String HEAT = "heat";

  /** Writes {@code sluice.hot-rooms}. */
  public static final String HOT_ROOMS_SINK = "hot-rooms-sink";

  /** Writes {@code sluice.dlq}. */
  public static final String DEAD_LETTERS_SINK = "heat-dead-letters-sink";

  /** Sums, audiences and verdicts. */
  public static final String HEAT_STORE = "heat";

  /** Nothing; tells the processor of commits. */
  public static final String WRITE_BEHIND_STORE = "heat-write-behind";

  /** Reads {@code sluice.hot-rooms} back. */
  public static final String HOT_ROOMS_SOURCE = "hot-rooms-source";

  /** Keeps what was read back. */
  public static final String HOT_ROOMS_KNOWN = "hot-rooms-known";

  /**
   * What the processors of all tasks share.
   *
   * @param owned where they say what they own
   * @param counters what they did
   * @param rules in force; null until they are known
   * @param steady milliseconds since the epoch by a clock that never steps
   * @param answers runs what callers do with their answers
   * @param maxWaiters callers that may wait for one partition at once
   * @param maxRooms counted at once in one partition
   */
  public record Surroundings(
      OwnedLogs<OwnedPart<HeatReader>> owned,
      HeatCounters counters,
      Supplier<HotRules> rules,
      LongSupplier steady,
      Executor answers,
      int maxWaiters,
      int maxRooms) {}

  private HeatNodes() {}

  /** Adds them to a topology. */
  public static Topology addTo(Topology topology, Topics topics, Surroundings surroundings) {
    ByteSource.add(topology, ROOM_COUNTS_SOURCE, topics.roomCounts());
    topology.addProcessor(HEAT, new Heat(topics, surroundings), ROOM_COUNTS_SOURCE);
    Destined.addSink(topology, HOT_ROOMS_SINK, topics.hotRooms(), HEAT);
    Destined.addSink(topology, DEAD_LETTERS_SINK, topics.deadLetters(), HEAT);
    return topology.addGlobalStore(
        Stores.keyValueStoreBuilder(
                Stores.inMemoryKeyValueStore(HOT_ROOMS_KNOWN), Serdes.Bytes(), Serdes.ByteArray())
            .withCachingDisabled()
            .withLoggingDisabled(),
        HOT_ROOMS_SOURCE,
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer(),
        topics.hotRooms(),
        HOT_ROOMS_KNOWN,
        Remember::new);
  }

  private record Heat(Topics topics, Surroundings surroundings)
      implements ProcessorSupplier<byte[], byte[], Destined, byte[]> {
    @Override
    public Processor<byte[], byte[], Destined, byte[]> get() {
      return new HeatProcessor(topics, surroundings);
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
      Set<StoreBuilder<?>> inOrder = new LinkedHashSet<>();
      inOrder.add(LoggedStore.named(HEAT_STORE));
      inOrder.add(new WriteBehind.Builder(WRITE_BEHIND_STORE));
      return inOrder;
    }
  }

  /** Keeps the last value of each key. */
  private static final class Remember implements Processor<byte[], byte[], Void, Void> {
    private KeyValueStore<Bytes, byte[]> known;

    @Override
    public void init(ProcessorContext<Void, Void> context) {
      known = context.getStateStore(HOT_ROOMS_KNOWN);
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
      if (record.key() != null) {
        known.put(Bytes.wrap(record.key()), record.value());
      }
    }
  }
}
