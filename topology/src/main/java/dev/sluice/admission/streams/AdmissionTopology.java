package dev.sluice.admission.streams;

import dev.sluice.contract.Topics;
import dev.sluice.query.OwnedPartitions;
import dev.sluice.streams.ByteSource;
import dev.sluice.streams.Destined;
import dev.sluice.streams.LoggedStore;
import dev.sluice.streams.WriteBehind;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.StoreBuilder;

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
    Topology topology = new Topology();
    ByteSource.add(topology, ENTRIES_SOURCE, topics.entries());
    topology.addProcessor(ADMISSION, new Admission(topics, surroundings), ENTRIES_SOURCE);
    Destined.addSink(topology, OUTCOMES_SINK, topics.outcomes(), ADMISSION);
    return Destined.addSink(topology, DEAD_LETTERS_SINK, topics.deadLetters(), ADMISSION);
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
      inOrder.add(LoggedStore.named(LIVE_STORE));
      inOrder.add(LoggedStore.named(ENDED_STORE));
      inOrder.add(new WriteBehind.Builder(WRITE_BEHIND_STORE));
      return inOrder;
    }
  }
}
