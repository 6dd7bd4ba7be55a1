package dev.sluice.runtime;

import dev.sluice.admission.streams.AdmissionCounters;
import dev.sluice.log.CommandLog;
import dev.sluice.query.Address;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.OwnedKind;
import dev.sluice.query.QueryClient;
import dev.sluice.query.QueryServer;
import dev.sluice.query.RoomQueries;
import dev.sluice.query.RoomView;
import dev.sluice.query.SystemView;
import dev.sluice.query.SystemView.PartitionView;
import dev.sluice.runtime.TopologyConfig.QueryPort;
import dev.sluice.runtime.TopologyMetrics.PartitionMetrics;
import dev.sluice.settings.SettingsFollower;
import dev.sluice.settings.SettingsGate;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.admin.Admin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topology tier of a process: the topics, the settings gate, the admission and the rooms
 * application, and the query port. Started and closed once.
 */
public final class TopologyRuntime implements AutoCloseable {
  static final Duration READ_AT_MOST = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(TopologyRuntime.class);
  private static final int ANSWER_THREADS = 2;
  private static final long LOOK_EVERY_MILLIS = 10;

  private final TopologyConfig config;
  private final SettingsFollower settings;
  private final ExecutorService answers =
      Executors.newFixedThreadPool(ANSWER_THREADS, named("sluice-answers"));
  private final ScheduledExecutorService rounds =
      Executors.newSingleThreadScheduledExecutor(named("sluice-rounds"));
  private final AdmissionRuntime admission;
  private final RoomsRuntime rooms;

  private StateDirectoryLock directory;
  private SettingsGate gate;
  private QueryServer server;
  private Admin admin;
  private ScheduledFuture<?> looking;

  /**
   * @param log for ticks and settings; not closed here
   * @param settings what is in force; started and closed by the caller
   */
  public TopologyRuntime(TopologyConfig config, CommandLog log, SettingsFollower settings) {
    this.config = config;
    this.settings = settings;
    QueryClient client = clientOf(config.port());
    admission = new AdmissionRuntime(config, log, settings, client, answers);
    rooms = new RoomsRuntime(config, settings, client, answers);
  }

  private static QueryClient clientOf(QueryPort port) {
    return port == null ? null : new QueryClient(port.token(), READ_AT_MOST);
  }

  /**
   * Takes the state directory, creates the topics, and starts everything; returns before it is
   * ready.
   *
   * @throws StartException in words for an operator; what was started is closed again
   */
  public void start() {
    try {
      directory = StateDirectoryLock.take(config.stateDirectory());
      new TopicsStep(config.kafka(), config.topics(), config.replication()).run();
      gate =
          new SettingsGate(
              config.kafka(),
              config.topics(),
              config.settingsApplication(),
              config.instanceId(),
              config.stateDirectory());
      gate.start();
      openPort();
      admin = Admin.create(config.kafka());
      admission.start(address(), admin);
      rooms.start(address(), admin);
      looking =
          rounds.scheduleWithFixedDelay(
              this::look, LOOK_EVERY_MILLIS, LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private void openPort() {
    QueryPort port = config.port();
    if (port == null) {
      return;
    }
    try {
      server =
          new QueryServer(
              port.bind(),
              port.port(),
              port.token(),
              admission.local(),
              rooms.local(),
              Map.of(
                  OwnedKind.ADMISSION, admission.owners(),
                  OwnedKind.ROOMS, rooms.roomsOwners(),
                  OwnedKind.HEAT, rooms.heatOwners()));
      server.start();
    } catch (IOException e) {
      throw new StartException(
          "The query port %s:%d can't be had: %s"
              .formatted(port.bind(), port.port(), e.getMessage()),
          e);
    }
  }

  /** Where other processes reach this one's state; null when none does, or before the start. */
  public Address address() {
    return server == null ? null : new Address(config.port().advertised(), server.port());
  }

  private void look() {
    long now = System.nanoTime();
    look(admission::look, now);
    look(rooms::look, now);
  }

  private static void look(LongConsumer round, long nowNanos) {
    try {
      round.accept(nowNanos);
    } catch (RuntimeException e) {
      LOG.error("A round over the owned partitions failed; the next follows", e);
    }
  }

  /** Answers for the partitions owned here, and asks the owners for the others. */
  public AdmissionQueries queries() {
    return admission.queries();
  }

  /** As {@link #queries}, of rooms. */
  public RoomQueries roomQueries() {
    return rooms.queries();
  }

  /** Whether this instance decides in a partition of {@code entries}. */
  public boolean owns(int partition) {
    return admission.owns(partition);
  }

  /** Whether this instance judges a room. */
  public boolean ownsHeatOf(String roomId) {
    return rooms.ownsHeatOf(roomId);
  }

  /**
   * Whether this instance runs, every partition has an owner, those that are this one's have caught
   * up and know their settings, and the settings have been read.
   */
  public boolean isReady() {
    return settings.readToEnd().isDone()
        && admission.isReady(address())
        && rooms.isReady(address());
  }

  /** Whether it can't recover by itself, so that the process should be restarted. */
  public boolean isDead() {
    return admission.hasFailed() || rooms.hasFailed();
  }

  /** The partitions owned here. */
  public List<PartitionView> partitions() {
    return admission.queries().local().partitions();
  }

  public TopologyMetrics metrics() {
    AdmissionCounters counters = admission.counters();
    SystemView system = admission.queries().local();
    List<PartitionMetrics> partitions =
        system.partitions().stream().map(view -> metrics(view, system.rooms())).toList();
    return new TopologyMetrics(
        admission.state(),
        gate != null && gate.isRunning() ? "RUNNING" : "NOT_RUNNING",
        counters.commands(),
        counters.outcomes(),
        counters.invalidRecords(),
        counters.entered(),
        counters.admitted(),
        counters.expired(),
        counters.left(),
        counters.completed(),
        counters.rejected(),
        admission.ticksSent(),
        admission.configuresSent(),
        admission.threadsReplaced(),
        admission.callersWaiting(),
        partitions,
        rooms.metrics());
  }

  private static PartitionMetrics metrics(PartitionView view, List<RoomView> rooms) {
    List<RoomView> here =
        rooms.stream().filter(room -> room.partition() == view.partition()).toList();
    return new PartitionMetrics(
        view.partition(),
        view.status().name(),
        view.appliedOffset(),
        view.lag(),
        here.stream().mapToLong(RoomView::waiting).sum(),
        here.stream().mapToLong(RoomView::active).sum());
  }

  /** Stops in order, leaving the group so that others take over at once, within {@code atMost}. */
  public void close(Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    if (looking != null) {
      looking.cancel(false);
    }
    rounds.shutdown();
    if (server != null) {
      server.close();
    }
    // Side by side, since each waits for its group.
    CompletableFuture<Void> roomsClosed =
        CompletableFuture.runAsync(() -> rooms.close(left(deadline)));
    admission.close(left(deadline));
    roomsClosed.join();
    if (gate != null) {
      gate.close(left(deadline));
    }
    if (admin != null) {
      admin.close(left(deadline));
    }
    answers.shutdown();
    if (directory != null) {
      try {
        directory.close();
      } catch (IOException e) {
        LOG.warn("The lock of the state directory wasn't given back", e);
      }
    }
  }

  private static Duration left(long deadline) {
    return Duration.ofNanos(
        Math.max(TimeUnit.MILLISECONDS.toNanos(100), deadline - System.nanoTime()));
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(15));
  }

  private static ThreadFactory named(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
