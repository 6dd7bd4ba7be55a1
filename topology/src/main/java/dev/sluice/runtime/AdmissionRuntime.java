package dev.sluice.runtime;

import dev.sluice.admission.streams.AdmissionClients;
import dev.sluice.admission.streams.AdmissionCounters;
import dev.sluice.admission.streams.AdmissionTopology;
import dev.sluice.admission.streams.Configurer;
import dev.sluice.admission.streams.Ticker;
import dev.sluice.log.CommandLog;
import dev.sluice.query.Address;
import dev.sluice.query.LocalQueries;
import dev.sluice.query.OwnedPartition;
import dev.sluice.query.OwnedPartitions;
import dev.sluice.query.QueryClient;
import dev.sluice.query.RoutedQueries;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.settings.SettingsFollower;
import dev.sluice.streams.LogEnds;
import dev.sluice.streams.StreamsApplication;
import dev.sluice.streams.StreamsOwners;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.apache.kafka.clients.admin.Admin;

/** The admission application of a process with its ticker. Started and closed once. */
final class AdmissionRuntime {
  private final TopologyConfig config;
  private final Executor answers;
  private final OwnedPartitions owned = new OwnedPartitions();
  private final AdmissionCounters counters = new AdmissionCounters();
  private final Ticker ticker;
  private final Configurer configurer;
  private final LocalQueries local;
  private final StreamsOwners owners;
  private final RoutedQueries queries;

  private LogEnds logEnds;
  private volatile StreamsApplication application;

  /**
   * @param client asks other processes; null when there is none to ask
   * @param answers runs what callers do with their answers
   */
  AdmissionRuntime(
      TopologyConfig config,
      CommandLog log,
      SettingsFollower settings,
      QueryClient client,
      Executor answers) {
    this.config = config;
    this.answers = answers;
    int partitions = config.topics().partitions();
    ticker = new Ticker(owned, log);
    configurer = new Configurer(owned, partitions, log, settings);
    local =
        new LocalQueries(
            owned, partitions, TopologyRuntime.READ_AT_MOST, System::currentTimeMillis);
    owners = new StreamsOwners(config.topics().entries());
    queries = new RoutedQueries(local, owners, client);
  }

  /**
   * @param address where other processes reach this one, or null
   */
  void start(Address address, Admin admin) {
    StreamsApplication starting =
        new StreamsApplication(
            "admission",
            AdmissionTopology.build(
                config.topics(),
                new AdmissionTopology.Surroundings(owned, counters, answers, config.maxWaiters())),
            StreamsSettings.ofAdmission(config, address),
            new AdmissionClients(owned, config.topics().entries()));
    application = starting;
    owners.askedOf(starting);
    logEnds = new LogEnds(owned, admin, config.topics().entries());
    starting.start();
  }

  /** Once started, looks at all partitions. */
  void look(long nowNanos) {
    owned.expireWaiters(nowNanos);
    logEnds.look(nowNanos);
    configurer.look(nowNanos);
    ticker.look(nowNanos);
  }

  /** Whether it runs, and all partitions that are this instance's have caught up. */
  boolean isReady(Address here) {
    return application != null
        && application.isUp()
        && owners.holds(here, config.topics().partitions(), at -> owned.get(at) != null)
        && owned.all().stream()
            .allMatch(
                partition ->
                    partition.status() == PartitionStatus.READY
                        && configurer.hasConfigured(partition));
  }

  boolean hasFailed() {
    return application != null && application.hasFailed();
  }

  String state() {
    return application == null ? "NOT_STARTED" : application.state();
  }

  long threadsReplaced() {
    return application == null ? 0 : application.threadsReplaced();
  }

  long callersWaiting() {
    return owned.all().stream().mapToLong(OwnedPartition::waiting).sum();
  }

  boolean owns(int partition) {
    return owned.get(partition) != null;
  }

  AdmissionCounters counters() {
    return counters;
  }

  long ticksSent() {
    return ticker.sent();
  }

  long configuresSent() {
    return configurer.sent();
  }

  LocalQueries local() {
    return local;
  }

  StreamsOwners owners() {
    return owners;
  }

  RoutedQueries queries() {
    return queries;
  }

  void close(Duration atMost) {
    if (application != null) {
      application.close(atMost);
    }
    for (OwnedPartition partition : owned.all()) {
      owned.closed(partition);
    }
  }
}
