package dev.sluice.runtime;

import dev.sluice.hot.HeatReader;
import dev.sluice.hot.streams.HeatCounters;
import dev.sluice.hot.streams.HeatNodes;
import dev.sluice.log.SteadyClock;
import dev.sluice.query.Address;
import dev.sluice.query.LocalRoomQueries;
import dev.sluice.query.OwnedLog;
import dev.sluice.query.OwnedLogs;
import dev.sluice.query.OwnedPart;
import dev.sluice.query.QueryClient;
import dev.sluice.query.RoutedRoomQueries;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.rooms.Feed;
import dev.sluice.rooms.Members;
import dev.sluice.rooms.streams.RoomsCounters;
import dev.sluice.rooms.streams.RoomsTopology;
import dev.sluice.runtime.TopologyMetrics.RoomsMetrics;
import dev.sluice.runtime.TopologyMetrics.RoomsPartitionMetrics;
import dev.sluice.settings.SettingsFollower;
import dev.sluice.streams.LogEnds;
import dev.sluice.streams.StreamsApplication;
import dev.sluice.streams.StreamsOwners;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;

/** The rooms application of a process. Started and closed once. */
final class RoomsRuntime {
  /** Counted at once in this process; some 100 MB at most. */
  private static final int MAX_ROOMS = 100_000;

  private final TopologyConfig config;
  private final SettingsFollower settings;
  private final Executor answers;
  private final OwnedLogs<OwnedPart<Feed>> feeds = new OwnedLogs<>();
  private final OwnedLogs<OwnedPart<Members>> members = new OwnedLogs<>();
  private final OwnedLogs<OwnedPart<HeatReader>> heats = new OwnedLogs<>();
  private final HeatCounters heatCounters = new HeatCounters();
  private final RoomsCounters counters = new RoomsCounters();
  private final LocalRoomQueries local;
  private final StreamsOwners roomsOwners;
  private final StreamsOwners heatOwners;
  private final RoutedRoomQueries queries;

  private LogEnds eventEnds;
  private LogEnds joinEnds;
  private LogEnds countEnds;
  private volatile StreamsApplication application;

  /**
   * @param client asks other processes; null when there is none to ask
   * @param answers runs what callers do with their answers
   */
  RoomsRuntime(
      TopologyConfig config, SettingsFollower settings, QueryClient client, Executor answers) {
    this.config = config;
    this.settings = settings;
    this.answers = answers;
    local =
        new LocalRoomQueries(
            feeds, members, heats, config.topics().partitions(), TopologyRuntime.READ_AT_MOST);
    roomsOwners = new StreamsOwners(config.topics().roomEvents());
    heatOwners = new StreamsOwners(config.topics().roomCounts());
    queries = new RoutedRoomQueries(local, roomsOwners, heatOwners, client);
  }

  /**
   * @param address where other processes reach this one, or null
   */
  void start(Address address, Admin admin) {
    StreamsApplication starting =
        new StreamsApplication(
            "rooms",
            RoomsTopology.build(
                config.topics(),
                new RoomsTopology.Surroundings(
                    feeds,
                    members,
                    settings::view,
                    counters,
                    answers,
                    config.maxWaiters(),
                    heat())),
            StreamsSettings.ofRooms(config, address));
    application = starting;
    roomsOwners.askedOf(starting);
    heatOwners.askedOf(starting);
    String group = config.roomsApplication();
    eventEnds = new LogEnds(feeds, admin, config.topics().roomEvents(), group);
    joinEnds = new LogEnds(members, admin, config.topics().joins(), group);
    countEnds = new LogEnds(heats, admin, config.topics().roomCounts(), group);
    starting.start();
  }

  private HeatNodes.Surroundings heat() {
    return new HeatNodes.Surroundings(
        heats,
        heatCounters,
        new RulesInForce(settings),
        new SteadyClock(),
        answers,
        config.maxWaiters(),
        Math.max(1, MAX_ROOMS / config.topics().partitions()));
  }

  /** Once started, looks at all partitions. */
  void look(long nowNanos) {
    feeds.expireWaiters(nowNanos);
    members.expireWaiters(nowNanos);
    eventEnds.look(nowNanos);
    joinEnds.look(nowNanos);
    heats.expireWaiters(nowNanos);
    countEnds.look(nowNanos);
  }

  /** Whether it runs, and all partitions that are this instance's have caught up. */
  boolean isReady(Address here) {
    int partitions = config.topics().partitions();
    return application != null
        && application.isUp()
        && roomsOwners.holds(
            here, partitions, at -> feeds.get(at) != null && members.get(at) != null)
        && heatOwners.holds(here, partitions, at -> heats.get(at) != null)
        && Stream.of(feeds, members, heats)
            .flatMap(owned -> owned.all().stream())
            .allMatch(owned -> owned.status() == PartitionStatus.READY);
  }

  boolean ownsHeatOf(String roomId) {
    return heats.get(queries.partitionOf(roomId)) != null;
  }

  boolean hasFailed() {
    return application != null && application.hasFailed();
  }

  RoomsMetrics metrics() {
    List<RoomsPartitionMetrics> partitions = feeds.all().stream().map(this::metrics).toList();
    List<HeatReader.Figures> heat =
        heats.all().stream().map(owned -> owned.reader().figures()).toList();
    return new RoomsMetrics(
        application == null ? "NOT_STARTED" : application.state(),
        counters.eventsSummed(),
        counters.sumsSent(),
        counters.eventsFed(),
        counters.memberships(),
        heatCounters.sums(),
        heatCounters.turns(),
        heat.stream().mapToLong(HeatReader.Figures::hot).sum(),
        heat.stream().mapToLong(HeatReader.Figures::rooms).sum(),
        heat.stream().mapToLong(HeatReader.Figures::late).sum(),
        heat.stream().mapToLong(HeatReader.Figures::ahead).sum(),
        heat.stream().mapToLong(HeatReader.Figures::shed).sum(),
        heat.stream().mapToLong(HeatReader.Figures::beyond).sum(),
        counters.invalidRecords() + heatCounters.invalidRecords(),
        application == null ? 0 : application.threadsReplaced(),
        partitions);
  }

  private RoomsPartitionMetrics metrics(OwnedPart<Feed> feed) {
    OwnedLog joins = members.get(feed.partition());
    return new RoomsPartitionMetrics(
        feed.partition(), feed.status().name(), feed.lag(), joins == null ? 0 : joins.lag());
  }

  LocalRoomQueries local() {
    return local;
  }

  StreamsOwners roomsOwners() {
    return roomsOwners;
  }

  StreamsOwners heatOwners() {
    return heatOwners;
  }

  RoutedRoomQueries queries() {
    return queries;
  }

  void close(Duration atMost) {
    if (application != null) {
      application.close(atMost);
    }
    feeds.all().forEach(feeds::closed);
    members.all().forEach(members::closed);
    heats.all().forEach(heats::closed);
  }
}
