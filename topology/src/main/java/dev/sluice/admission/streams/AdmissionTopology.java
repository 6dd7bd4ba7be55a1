package dev.sluice.admission.streams;

import dev.sluice.contract.Topics;
import dev.sluice.query.OwnedPartitions;
import dev.sluice.streams.WriteBehind;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.AutoOffsetReset;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.TimestampExtractor;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.StoreBuilder;
import org.apache.kafka.streams.state.Stores;

/**
 * The topology of the admission application.
 *
 * <pre>
 *   entries --&gt; [admission] --&gt; outcomes
 *                  |    \-----&gt; dlq
 *        admission-live, admission-ended, admission-write-behind
 * </pre>
 *
 * <p>Its source is bytes: every record must reach the machine, since its offset counts, and a
 * deserializer that fails would keep one from it. There are no repartition topics, so that a
 * command's partition is its task for good.
 */
public final class AdmissionTopology {
  /** Reads {@code sluice.entries}. */
  public static final String ENTRIES_SOURCE = "entries-source";

  /** Applies commands to the machine. */
  public static final String ADMISSION = "admission";

  /** Writes {@code sluice.outcomes}. */
  public static final String OUTCOMES_SINK = "outcomes-sink";

  /** Writes {@code sluice.dlq}. */
  public static final String DEAD_LETTERS_SINK = "dead-letters-sink";

  /** Everything live. */
  public static final String LIVE_STORE = "admission-live";

  /** Those whose stay has ended. */
  public static final String ENDED_STORE = "admission-ended";

  /** Nothing; tells the processor of commits. */
  public static final String WRITE_BEHIND_STORE = "admission-write-behind";

  /**
   * What the processors of all tasks share.
   *
   * @param owned where they say what they own
   * @param counters what they did
   * @param answers runs what callers do with their answers
   * @param maxWaiters callers that may wait for one partition at once
   */
  public record Surroundings(
      OwnedPartitions owned, AdmissionCounters counters, Executor answers, int maxWaiters) {}

  private AdmissionTopology() {}

  /** The topology; the same for every instance and, in its names, for every release. */
  public static Topology build(Topics topics, Surroundings surroundings) {
    return new Topology()
        .addSource(
            AutoOffsetReset.earliest(),
            ENTRIES_SOURCE,
            new AppendTime(),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer(),
            topics.entries())
        .addProcessor(ADMISSION, new Admission(topics, surroundings), ENTRIES_SOURCE)
        .addSink(
            OUTCOMES_SINK,
            topics.outcomes(),
            new Destined.KeySerializer(),
            new ByteArraySerializer(),
            new Destined.Partitioner(),
            ADMISSION)
        .addSink(
            DEAD_LETTERS_SINK,
            topics.deadLetters(),
            new Destined.KeySerializer(),
            new ByteArraySerializer(),
            new Destined.Partitioner(),
            ADMISSION);
  }

  private record Admission(Topics topics, Surroundings surroundings)
      implements ProcessorSupplier<byte[], byte[], Destined, byte[]> {
    @Override
    public Processor<byte[], byte[], Destined, byte[]> get() {
      return new AdmissionProcessor(topics, surroundings);
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
      Set<StoreBuilder<?>> inOrder = new LinkedHashSet<>();
      inOrder.add(logged(LIVE_STORE));
      inOrder.add(logged(ENDED_STORE));
      inOrder.add(new WriteBehind.Builder(WRITE_BEHIND_STORE));
      return inOrder;
    }

    /** A store without cache: between commits the state is in the heap anyway. */
    private static StoreBuilder<KeyValueStore<Bytes, byte[]>> logged(String name) {
      return Stores.keyValueStoreBuilder(
              Stores.persistentKeyValueStore(name), Serdes.Bytes(), Serdes.ByteArray())
          .withCachingDisabled()
          .withLoggingEnabled(Map.of());
    }
  }

  /**
   * The append time of a record. One without a sensible time has time zero rather than being
   * dropped by Kafka Streams, so that the machine sees its offset.
   */
  private static final class AppendTime implements TimestampExtractor {
    @Override
    public long extract(ConsumerRecord<Object, Object> record, long partitionTime) {
      return Math.max(0, record.timestamp());
    }
  }
}
