package dev.sluice.notifier;

import dev.sluice.identity.AdminRule;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Sessions;
import dev.sluice.notifier.connection.Coalescer;
import dev.sluice.notifier.connection.ConnectionServices;
import dev.sluice.notifier.connection.Connections;
import dev.sluice.notifier.connection.Departure;
import dev.sluice.notifier.connection.PushCounters;
import dev.sluice.notifier.connection.Rate;
import dev.sluice.notifier.push.AudienceReports;
import dev.sluice.notifier.push.Bodies;
import dev.sluice.notifier.push.HotPushes;
import dev.sluice.notifier.push.LiveOutcomes;
import dev.sluice.notifier.push.LiveRoomEvents;
import dev.sluice.notifier.push.OutcomePushes;
import dev.sluice.notifier.push.PersonLanes;
import dev.sluice.notifier.push.PresentState;
import dev.sluice.notifier.push.RankRounds;
import dev.sluice.notifier.push.RoomPushes;
import dev.sluice.notifier.push.RoomSources;
import dev.sluice.notifier.push.StatsRounds;
import dev.sluice.notifier.routing.RoutingTable;
import dev.sluice.query.AdmissionQueries;
import java.time.Clock;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The push tier put together: everything between the streams of what happens and the sockets. Takes
 * connections once it follows them, so that whoever subscribes misses nothing. Thread-safe.
 */
public final class Notifier implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Notifier.class);

  private final PushSettings settings;
  private final LiveOutcomes outcomes;
  private final LiveRoomEvents roomEvents;
  private final RoutingTable table = new RoutingTable();
  private final PushCounters counters = new PushCounters();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(named("sluice-push-timer-"));
  private final ExecutorService workers = workers();
  private final PersonLanes lanes = new PersonLanes(processors(), named("sluice-person-"));
  private final Coalescer coalescer;
  private final ScheduledExecutorService audienceTimer =
      Executors.newSingleThreadScheduledExecutor(named("sluice-audience-"));
  private final Connections connections;
  private final StatsRounds stats;
  private final RankRounds ranks;
  private final OutcomePushes pushes;
  private final RoomPushes rooms;
  private final HotPushes hotRooms;
  private final AudienceReports audiences;
  private final Departure departure;
  private final ConnectionServices services;

  /**
   * @param nanos a clock that only goes forward, in nanoseconds
   */
  public Notifier(
      PushSettings settings,
      AdmissionQueries queries,
      LiveOutcomes outcomes,
      RoomSources roomSources,
      Sessions sessions,
      Passes passes,
      AdminRule admins,
      Clock clock,
      LongSupplier nanos) {
    this.settings = settings;
    this.outcomes = outcomes;
    this.roomEvents = roomSources.events();
    Bodies bodies = new Bodies(passes, clock);
    PresentState presentState = new PresentState(queries, bodies, timer, workers);
    this.connections =
        new Connections(
            settings.maxConnections(), new Rate(settings.acceptRate(), nanos), counters);
    this.stats = new StatsRounds(table, queries, bodies, workers);
    this.ranks = new RankRounds(table, queries, presentState, bodies, workers);
    this.pushes = new OutcomePushes(table, bodies, stats, lanes);
    this.coalescer = new Coalescer(settings.coalesce(), processors(), named("sluice-send-"));
    this.rooms =
        new RoomPushes(
            table,
            roomSources,
            bodies,
            timer,
            workers,
            nanos,
            () -> ThreadLocalRandom.current().nextDouble());
    this.hotRooms = new HotPushes(table, roomSources.hotRooms(), bodies);
    this.audiences =
        new AudienceReports("notifier-" + UUID.randomUUID(), table, roomSources.audiences(), nanos);
    this.departure =
        new Departure(
            connections, table, bodies, timer, settings.leaveWindow(), settings.closeWithin());
    this.services =
        new ConnectionServices(
            sessions,
            admins,
            table,
            presentState,
            stats,
            rooms,
            hotRooms,
            connections,
            counters,
            coalescer::flushSoon,
            nanos);
  }

  /** Begins to follow the streams and to keep its periods; connections are taken soon after. */
  public void start() {
    rooms.begin();
    hotRooms.begin();
    audiences.begin();
    var unused =
        CompletableFuture.allOf(
                outcomes.follow(pushes), roomEvents.follow(table::isFollowed, rooms))
            .whenComplete(this::openUp);
    Duration tick = settings.tick();
    every(tick, () -> connections.tick(tick));
    every(settings.rankPeriod(), unlessLeaving(() -> ranks.run(false)));
    every(settings.rankSync(), unlessLeaving(() -> ranks.run(true)));
    every(settings.statsPeriod(), unlessLeaving(stats::run));
    every(HotPushes.PERIOD, unlessLeaving(hotRooms::run));
    every(audienceTimer, AudienceReports.PERIOD, audiences::run);
  }

  private void openUp(Void following, Throwable failure) {
    if (failure == null) {
      connections.accept();
    } else {
      LOG.error("No connections are taken: a stream failed", failure);
    }
  }

  /**
   * Ranks and figures are told by the server that takes over, on processors that may be the same.
   */
  private Runnable unlessLeaving(Runnable round) {
    return () -> {
      if (!connections.isLeaving()) {
        round.run();
      }
    };
  }

  /**
   * Takes no more connections and lets those that are here go, spread over a window. Until then
   * they are told of admissions and timeouts, and of nothing else.
   *
   * @return done when the last has ended
   */
  public CompletableFuture<Void> leave() {
    return departure.begin();
  }

  /** Ends all that is left. */
  @Override
  public void close() {
    connections.refuse();
    connections.all().forEach(connection -> connection.drop());
    timer.shutdownNow();
    endAudiences();
    workers.shutdownNow();
    lanes.close();
    coalescer.close();
  }

  /** Once they are closed nobody is left to be told anything. */
  private static ExecutorService workers() {
    return new ThreadPoolExecutor(
        processors(),
        processors(),
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        named("sluice-push-"),
        new ThreadPoolExecutor.DiscardPolicy());
  }

  private static int processors() {
    return Math.max(2, Runtime.getRuntime().availableProcessors());
  }

  private void endAudiences() {
    if (audienceTimer.isShutdown()) {
      return;
    }
    audienceTimer.execute(audiences::end);
    audienceTimer.shutdown();
    try {
      if (!audienceTimer.awaitTermination(1, TimeUnit.SECONDS)) {
        audienceTimer.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Follows the stream and takes connections. */
  public boolean isAccepting() {
    return connections.isAccepting();
  }

  public ConnectionServices services() {
    return services;
  }

  public Connections connections() {
    return connections;
  }

  public RoutingTable table() {
    return table;
  }

  public PushCounters counters() {
    return counters;
  }

  public RoomPushes rooms() {
    return rooms;
  }

  private void every(Duration period, Runnable task) {
    every(timer, period, task);
  }

  private static void every(ScheduledExecutorService timer, Duration period, Runnable task) {
    var unused =
        timer.scheduleAtFixedRate(
            () -> {
              try {
                task.run();
              } catch (RuntimeException e) {
                LOG.error("A round failed; the next one comes as usual", e);
              }
            },
            period.toNanos(),
            period.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  private static ThreadFactory named(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
