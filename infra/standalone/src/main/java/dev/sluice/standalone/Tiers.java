package dev.sluice.standalone;

import dev.sluice.api.ApiConfiguration;
import dev.sluice.broker.BrokerConfig;
import dev.sluice.broker.EmbeddedBroker;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.Topics;
import dev.sluice.hot.edge.EdgeCounters;
import dev.sluice.kinesis.KinesisSettings;
import dev.sluice.log.AudienceLog;
import dev.sluice.log.CommandLog;
import dev.sluice.log.DeadLetters;
import dev.sluice.log.HotRoomsFollower;
import dev.sluice.log.OutcomeFeed;
import dev.sluice.log.RoomEventFeed;
import dev.sluice.log.RoomLog;
import dev.sluice.log.SumFlusher;
import dev.sluice.query.Address;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.LocalQueries;
import dev.sluice.query.LocalRoomQueries;
import dev.sluice.query.OwnedKind;
import dev.sluice.query.OwnedPartitions;
import dev.sluice.query.PeerOwners;
import dev.sluice.query.QueryClient;
import dev.sluice.query.RoomQueries;
import dev.sluice.query.RoutedQueries;
import dev.sluice.query.RoutedRoomQueries;
import dev.sluice.redis.AdmissionPublisher;
import dev.sluice.redis.AdmissionSubscriber;
import dev.sluice.redis.HotMarks;
import dev.sluice.redis.RedisAddress;
import dev.sluice.redis.RedisLink;
import dev.sluice.runtime.TopicsStep;
import dev.sluice.runtime.TopologyConfig;
import dev.sluice.runtime.TopologyConfig.QueryPort;
import dev.sluice.runtime.TopologyRuntime;
import dev.sluice.settings.ConfigWriter;
import dev.sluice.settings.SettingsFollower;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tiers of this process that need no HTTP, and the edges to Kafka that the others share. They
 * start side by side, each as soon as what it stands on is there, and stop in the reverse order.
 * Thread-safe.
 */
final class Tiers implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Tiers.class);
  private static final Duration TOPOLOGY_STOPS_WITHIN = Duration.ofSeconds(10);
  private static final Duration READ_AT_MOST = Duration.ofSeconds(1);

  /** By one API at once; some 50 MB at most. */
  private static final int ROOMS_COUNTED = 50_000;

  private static final Duration READY_POLL = Duration.ofMillis(20);
  private static final Executor BESIDE =
      work -> {
        Thread thread = new Thread(work, "sluice-start");
        thread.setDaemon(true);
        thread.start();
      };

  private final SluiceProperties properties;
  private final Set<Role> roles;
  private final DataDirectory directory;
  private final Secrets secrets;
  private final StartReport report;
  private final Topics topics;
  private final Map<String, Object> kafka;
  private final EmbeddedBroker broker;
  private final KinesisSettings kinesisSettings;
  private final Peers peers;
  private final CompletableFuture<Void> topicsThere = new CompletableFuture<>();
  private final Deque<Runnable> toClose = new ArrayDeque<>();

  private CompletableFuture<Void> kafkaServes;
  private CompletableFuture<Edges> edges;
  private CompletableFuture<Counting> counting;
  private CompletableFuture<TopologyRuntime> topology;
  private CompletableFuture<RedisHere> redis;
  private CompletableFuture<KinesisHere> kinesis;
  private CompletableFuture<Void> ready;

  /** What the tiers in front share of Kafka. */
  record Edges(
      CommandLog commandLog,
      RoomLog roomLog,
      AudienceLog audienceLog,
      HotRoomsFollower hotRooms,
      SettingsFollower settings,
      ConfigWriter configWriter,
      DeadLetters deadLetters) {}

  /** What is asked of the topologies of other processes. */
  private record Peers(AdmissionQueries admission, RoomQueries rooms) {}

  /** What this process counts of rooms. */
  private record Counting(EdgeCounters counters, SumFlusher flusher) {}

  private Tiers(
      SluiceProperties properties,
      Set<Role> roles,
      DataDirectory directory,
      Secrets secrets,
      StartReport report,
      Topics topics,
      EmbeddedBroker broker) {
    this.properties = properties;
    this.roles = roles;
    this.directory = directory;
    this.secrets = secrets;
    this.report = report;
    this.topics = topics;
    this.broker = broker;
    this.kafka = kafka(properties, broker);
    this.kinesisSettings =
        roles.contains(Role.KINESIS) ? KinesisHere.settings(properties, kafka, secrets) : null;
    this.peers =
        roles.stream().anyMatch(Role::isWeb) && !roles.contains(Role.TOPOLOGY) ? askPeers() : null;
  }

  /**
   * Takes what only one process can have, and starts everything without waiting for it.
   *
   * @throws StartRefusal when the properties don't fit together
   * @throws dev.sluice.broker.BrokerStartException when the broker can't have its port or directory
   */
  static Tiers start(
      SluiceProperties properties,
      Set<Role> roles,
      DataDirectory directory,
      Secrets secrets,
      StartReport report) {
    if (properties.push().relay() && !Exposure.isGiven(properties.redis().uri())) {
      throw new StartRefusal(
          "sluice.push.relay is true, so sluice.redis.uri must say where Redis is");
    }
    Topics topics = properties.topics();
    EmbeddedBroker broker = null;
    if (roles.contains(Role.BROKER)) {
      broker = EmbeddedBroker.bind(brokerConfig(properties.broker(), directory));
    }
    Tiers tiers;
    try {
      tiers = new Tiers(properties, roles, directory, secrets, report, topics, broker);
    } catch (StartRefusal e) {
      if (broker != null) {
        broker.close();
      }
      throw e;
    }
    tiers.startAll();
    return tiers;
  }

  private static BrokerConfig brokerConfig(SluiceProperties.Broker told, DataDirectory directory) {
    try {
      return new BrokerConfig(told.address(), told.port(), directory.broker());
    } catch (IllegalArgumentException e) {
      throw new StartRefusal(e.getMessage(), e);
    }
  }

  private static Map<String, Object> kafka(SluiceProperties properties, EmbeddedBroker broker) {
    Map<String, Object> settings = new HashMap<>(properties.kafka().properties());
    settings.put(
        "bootstrap.servers",
        broker == null ? properties.kafka().bootstrapServers() : broker.bootstrapServers());
    return Map.copyOf(settings);
  }

  private void startAll() {
    kafkaServes =
        broker == null
            ? CompletableFuture.completedFuture(null)
            : CompletableFuture.runAsync(this::serveKafka, BESIDE);
    boolean needsEdges = roles.stream().anyMatch(role -> role != Role.BROKER);
    edges =
        needsEdges
            ? CompletableFuture.supplyAsync(this::openEdges, BESIDE)
            : CompletableFuture.completedFuture(null);
    counting =
        roles.contains(Role.API)
            ? edges.thenApply(this::startCounting)
            : CompletableFuture.completedFuture(null);
    topology =
        roles.contains(Role.TOPOLOGY)
            ? edges.thenApply(this::prepareTopology)
            : CompletableFuture.completedFuture(null);
    redis =
        Exposure.isGiven(properties.redis().uri())
            ? edges.thenCombine(topology, this::linkRedis)
            : CompletableFuture.completedFuture(null);
    kinesis =
        kinesisSettings == null
            ? CompletableFuture.completedFuture(null)
            : CompletableFuture.supplyAsync(
                () -> new KinesisHere(properties, kinesisSettings), BESIDE);
    ready =
        kafkaServes
            .thenCombineAsync(topology, (serves, runtime) -> runtime, BESIDE)
            .thenAccept(this::startOnKafka);
  }

  private void serveKafka() {
    broker.serve();
    closeLater(broker::close);
    report.up(Role.BROKER, broker.bootstrapServers());
  }

  private Edges openEdges() {
    CommandLog log = new CommandLog(kafka, topics, CommandLog.Limits.DEFAULT);
    SettingsFollower settings =
        new SettingsFollower(kafka, topics, properties.applicationPrefix() + "settings");
    return new Edges(
        log,
        new RoomLog(kafka, topics, CommandLog.Limits.DEFAULT),
        new AudienceLog(kafka, topics),
        new HotRoomsFollower(kafka, topics, System::nanoTime),
        settings,
        new ConfigWriter(kafka, topics),
        new DeadLetters(kafka, topics));
  }

  private Counting startCounting(Edges open) {
    SumFlusher flusher = new SumFlusher(kafka, topics);
    EdgeCounters counters =
        new EdgeCounters(
            "edge-" + new BigInteger(64, new SecureRandom()).toString(36),
            ROOMS_COUNTED,
            room -> ApiConfiguration.early(open.settings().view(), room),
            flusher::wake);
    flusher.start(counters);
    return new Counting(counters, flusher);
  }

  private TopologyRuntime prepareTopology(Edges open) {
    return new TopologyRuntime(topologyConfig(), open.commandLog(), open.settings());
  }

  private RedisHere linkRedis(Edges open, TopologyRuntime runtime) {
    RedisAddress address = RedisHere.address(properties.redis().uri());
    RedisLink link = new RedisLink(address);
    HotMarks marks = null;
    if (runtime != null) {
      marks =
          new HotMarks(
              link, open.hotRooms(), open.settings()::view, runtime::ownsHeatOf, System::nanoTime);
      marks.start();
    }
    AdmissionPublisher publisher = null;
    AdmissionSubscriber subscriber = null;
    if (properties.push().relay()) {
      String channel = topics.prefix() + "admissions";
      if (runtime != null) {
        publisher = publishAdmissions(link, channel, runtime);
      }
      if (roles.contains(Role.NOTIFIER)) {
        subscriber =
            new AdmissionSubscriber(
                address, channel, secrets.relayKey(), Clock.systemUTC(), System::nanoTime);
      }
    }
    return new RedisHere(link, marks, publisher, subscriber);
  }

  private AdmissionPublisher publishAdmissions(
      RedisLink link, String channel, TopologyRuntime runtime) {
    AdmissionPublisher publisher =
        new AdmissionPublisher(link, channel, secrets.relayKey(), runtime::owns, Clock.systemUTC());
    publisher.start();
    var unused = followStream(publisher);
    return publisher;
  }

  private TopologyConfig topologyConfig() {
    SluiceProperties.Topology told = properties.topology();
    String instanceId =
        Exposure.isGiven(told.instanceId()) ? told.instanceId() : directory.instanceId();
    TopologyConfig defaults = TopologyConfig.of(kafka, topics, directory.state(), instanceId);
    return new TopologyConfig(
        kafka,
        topics,
        properties.replication(),
        properties.applicationPrefix(),
        directory.state(),
        instanceId,
        told.threads(),
        told.standbys(),
        told.transactionalStores(),
        told.commitInterval(),
        internalPort(told),
        defaults.maxWaiters());
  }

  private QueryPort internalPort(SluiceProperties.Topology told) {
    if (!hasInternalPort(properties, roles)) {
      return null;
    }
    return new QueryPort(
        told.address(),
        Exposure.isGiven(told.advertised()) ? told.advertised() : told.address(),
        told.port() == null ? 0 : told.port(),
        secrets.internalToken());
  }

  /** Whether other processes ask this one's topology. */
  static boolean hasInternalPort(SluiceProperties properties, Set<Role> roles) {
    return roles.contains(Role.TOPOLOGY)
        && (properties.topology().port() != null
            || !roles.containsAll(Set.of(Role.API, Role.NOTIFIER)));
  }

  private Peers askPeers() {
    List<Address> peers;
    try {
      peers = properties.topology().peers().stream().map(Address::parse).toList();
    } catch (IllegalArgumentException e) {
      throw new StartRefusal("sluice.topology.peers is " + e.getMessage(), e);
    }
    if (peers.isEmpty()) {
      throw new StartRefusal(
          "Without the role topology, sluice.topology.peers must say where one is (host:port)");
    }
    QueryClient client = new QueryClient(secrets.internalToken(), READ_AT_MOST);
    int partitions = topics.partitions();
    return new Peers(
        new RoutedQueries(
            new LocalQueries(
                new OwnedPartitions(), partitions, READ_AT_MOST, System::currentTimeMillis),
            new PeerOwners(client, OwnedKind.ADMISSION, peers),
            client),
        new RoutedRoomQueries(
            LocalRoomQueries.none(partitions, READ_AT_MOST),
            new PeerOwners(client, OwnedKind.ROOMS, peers),
            new PeerOwners(client, OwnedKind.HEAT, peers),
            client));
  }

  private void startOnKafka(TopologyRuntime runtime) {
    Edges open = edges.join();
    if (open == null) {
      return;
    }
    closeLater(() -> close(open));
    RedisHere linked = redis.join();
    if (linked != null) {
      closeLater(linked::close);
    }
    Counting counted = counting.join();
    if (counted != null) {
      closeLater(counted.flusher()::close);
    }
    if (runtime == null) {
      new TopicsStep(kafka, topics, properties.replication()).run();
    } else {
      closeLater(() -> runtime.close(TOPOLOGY_STOPS_WITHIN));
      runtime.start();
    }
    topicsThere.complete(null);
    open.settings().start();
    open.hotRooms().start();
    KinesisHere endpoint = kinesis.join();
    if (endpoint != null) {
      closeLater(endpoint::close);
      endpoint.start();
    }
    if (runtime != null) {
      awaitCaughtUp(runtime);
    }
    if (endpoint != null) {
      endpoint.awaitReady();
      report.up(Role.KINESIS, endpoint.toString());
    }
  }

  private void awaitCaughtUp(TopologyRuntime runtime) {
    while (!runtime.isReady()) {
      LockSupport.parkNanos(READY_POLL.toNanos());
    }
    report.up(
        Role.TOPOLOGY,
        runtime.partitions().size()
            + " partitions caught up"
            + (runtime.address() == null ? "" : ", asked at " + runtime.address()));
  }

  private static void close(Edges open) {
    open.hotRooms().close();
    open.settings().close();
    open.deadLetters().close();
    open.configWriter().close();
    open.audienceLog().close();
    open.roomLog().close();
    open.commandLog().close();
  }

  Set<Role> roles() {
    return roles;
  }

  SluiceProperties properties() {
    return properties;
  }

  Secrets secrets() {
    return secrets;
  }

  /** Client settings for Kafka. */
  Map<String, Object> kafka() {
    return kafka;
  }

  Topics topics() {
    return topics;
  }

  /** The shared edges, once they are open. */
  Edges edges() {
    return unwrapped(edges);
  }

  /**
   * Tells {@code listener} each outcome from now on, until these tiers are closed. Admissions and
   * expiries may be told by Redis too, by another thread, sooner or later than by the stream.
   *
   * @return done once every outcome written from then on will be told
   */
  CompletableFuture<Void> follow(Consumer<Outcome> listener) {
    RedisHere linked = redis();
    if (linked != null) {
      linked.follow(listener);
    }
    return followStream(listener);
  }

  private CompletableFuture<Void> followStream(Consumer<Outcome> listener) {
    OutcomeFeed feed = new OutcomeFeed(kafka, topics, listener);
    closeLater(feed::close);
    return topicsThere.thenCompose(
        there -> {
          feed.start();
          return feed.ready();
        });
  }

  /** Answers from here where the topology runs in this process, else from its peers. */
  AdmissionQueries queries() {
    TopologyRuntime here = topology();
    return here == null ? peers.admission() : here.queries();
  }

  /** The same of rooms. */
  RoomQueries roomQueries() {
    TopologyRuntime here = topology();
    return here == null ? peers.rooms() : here.roomQueries();
  }

  /** What this process does with Redis; null without one. */
  RedisHere redis() {
    return unwrapped(redis);
  }

  /** The Kinesis endpoint of this process; null without that role. */
  KinesisHere kinesis() {
    return unwrapped(kinesis);
  }

  /** What this process counts of rooms; null without the role that does. */
  EdgeCounters edgeCounters() {
    Counting counted = unwrapped(counting);
    return counted == null ? null : counted.counters();
  }

  /**
   * Tells {@code listener} of each message that can be fetched from now on, until these tiers are
   * closed.
   *
   * @param wanted whether the listener cares about a room
   * @return done once every message written from then on will be told
   */
  CompletableFuture<Void> followRooms(Predicate<String> wanted, RoomEventFeed.Listener listener) {
    RoomEventFeed feed = new RoomEventFeed(kafka, topics, wanted, listener);
    closeLater(feed::close);
    return topicsThere.thenCompose(
        there -> {
          feed.start();
          return feed.ready();
        });
  }

  /** The topology of this process, perhaps not started yet; null without that role. */
  TopologyRuntime topology() {
    return unwrapped(topology);
  }

  /**
   * Returns once everything here has started and the topology has caught up.
   *
   * @throws RuntimeException the reason, when something couldn't start
   */
  void awaitReady() {
    unwrapped(ready);
  }

  /** Completes with the reason if the broker fails for good, else never. */
  CompletableFuture<Throwable> failure() {
    return broker == null ? new CompletableFuture<>() : broker.failure();
  }

  private static <T> T unwrapped(CompletableFuture<T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  private synchronized void closeLater(Runnable close) {
    toClose.push(close);
  }

  /** Stops what has started, last first; each in bounded time, and whatever the others do. */
  @Override
  public void close() {
    Deque<Runnable> closing;
    synchronized (this) {
      closing = new ArrayDeque<>(toClose);
      toClose.clear();
    }
    for (Runnable close : closing) {
      try {
        close.run();
      } catch (RuntimeException e) {
        LOG.warn("A tier stopped with an error", e);
      }
    }
    if (broker != null) {
      broker.close();
    }
  }
}
