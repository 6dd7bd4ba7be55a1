package dev.sluice.rooms.streams;

import dev.sluice.contract.Topics;
import dev.sluice.hot.streams.HeatNodes;
import dev.sluice.query.OwnedLogs;
import dev.sluice.query.OwnedPart;
import dev.sluice.rooms.Feed;
import dev.sluice.rooms.Members;
import dev.sluice.settings.SettingsView;
import dev.sluice.streams.ByteSource;
import dev.sluice.streams.Destined;
import dev.sluice.streams.LoggedStore;
import dev.sluice.streams.WriteBehind;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.StoreBuilder;

/**
 * The topology of the rooms application.
 *
 * <pre>
 *   room-events --&gt; [intake] ---&gt; room-counts
 *                      |    \---&gt; dlq
 *              rooms, rooms-write-behind
 *                      |    /---&gt; dlq
 *   joins -------&gt; [members]
 *
 *   room-counts --&gt; [heat] ... as {@link HeatNodes} draws it
 * </pre>
 *
 * <p>Its sources are bytes, so that every record reaches its processor. What the first stage of
 * counting adds up in the partition of an event goes on under the room's key, so that the second
 * stage, in a sub-topology of its own, sees a record for many events. Both sources feed one store,
 * and so one task: a room's members are where its events are.
 *
 * <p>It runs at least once. Each step changes nothing when it is done again: sums are cumulative,
 * an event kept again replaces itself, who joins twice is in once.
 */
public final class RoomsTopology {
  /** Reads {@code sluice.room-events}. */
  public static final String ROOM_EVENTS_SOURCE = "room-events-source";

  /** Reads {@code sluice.joins}. */
  public static final String JOINS_SOURCE = "joins-source";

  /** Sums events and keeps messages. */
  public static final String INTAKE = "intake";

  /** Knows who is in. */
  public static final String MEMBERS = "members";

  /** Writes {@code sluice.room-counts}. */
  public static final String ROOM_COUNTS_SINK = "room-counts-sink";

  /** Writes {@code sluice.dlq}. */
  public static final String DEAD_LETTERS_SINK = "rooms-dead-letters-sink";

  /** Sums, messages and members. */
  public static final String ROOMS_STORE = "rooms";

  /** Nothing; tells the intake of commits. */
  public static final String WRITE_BEHIND_STORE = "rooms-write-behind";

  /**
   * What the processors of all tasks share.
   *
   * @param feeds where they say what messages they own
   * @param members where they say what members they own
   * @param settings in force now
   * @param counters what they did
   * @param answers runs what callers do with their answers
   * @param maxWaiters callers that may wait for one partition at once
   * @param heat what those of the second stage share
   */
  public record Surroundings(
      OwnedLogs<OwnedPart<Feed>> feeds,
      OwnedLogs<OwnedPart<Members>> members,
      Supplier<SettingsView> settings,
      RoomsCounters counters,
      Executor answers,
      int maxWaiters,
      HeatNodes.Surroundings heat) {}

  private RoomsTopology() {}

  /** The topology; the same for every instance and, in its names, for every release. */
  public static Topology build(Topics topics, Surroundings surroundings) {
    Topology topology = new Topology();
    addRooms(topology, topics, surroundings);
    return HeatNodes.addTo(topology, topics, surroundings.heat());
  }

  private static void addRooms(Topology topology, Topics topics, Surroundings surroundings) {
    ByteSource.add(topology, ROOM_EVENTS_SOURCE, topics.roomEvents());
    ByteSource.add(topology, JOINS_SOURCE, topics.joins());
    topology.addProcessor(INTAKE, new Intake(topics, surroundings), ROOM_EVENTS_SOURCE);
    topology.addProcessor(MEMBERS, new Membership(topics, surroundings), JOINS_SOURCE);
    topology.connectProcessorAndStateStores(MEMBERS, ROOMS_STORE);
    Destined.addSink(topology, ROOM_COUNTS_SINK, topics.roomCounts(), INTAKE);
    Destined.addSink(topology, DEAD_LETTERS_SINK, topics.deadLetters(), INTAKE, MEMBERS);
  }

  private record Intake(Topics topics, Surroundings surroundings)
      implements ProcessorSupplier<byte[], byte[], Destined, byte[]> {
    @Override
    public Processor<byte[], byte[], Destined, byte[]> get() {
      return new IntakeProcessor(topics, surroundings);
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
      Set<StoreBuilder<?>> inOrder = new LinkedHashSet<>();
      inOrder.add(LoggedStore.named(ROOMS_STORE));
      inOrder.add(new WriteBehind.Builder(WRITE_BEHIND_STORE));
      return inOrder;
    }
  }

  private record Membership(Topics topics, Surroundings surroundings)
      implements ProcessorSupplier<byte[], byte[], Destined, byte[]> {
    @Override
    public Processor<byte[], byte[], Destined, byte[]> get() {
      return new MembersProcessor(topics, surroundings);
    }
  }
}
