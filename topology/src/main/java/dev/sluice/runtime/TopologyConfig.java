package dev.sluice.runtime;

import dev.sluice.contract.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * What the topology tier of a process needs to know.
 *
 * @param kafka client settings: {@code bootstrap.servers}, and security where needed
 * @param replication copies of each topic created; -1 for the broker's default
 * @param applicationPrefix of the {@code application.id}s: {@code sluice-} gives {@code
 *     sluice-admission}, {@code sluice-hot-rooms} and {@code sluice-settings}
 * @param stateDirectory for the stores; one process at a time
 * @param instanceId names this instance among all, the same after a restart, so that the group
 *     knows it again without waiting for its old session to end
 * @param threads stream threads of the admission application, and as many of the rooms application
 * @param standbys copies of each partition's state kept ready on other instances
 * @param transactionalStores whether stores commit with the transaction, so that they survive a
 *     kill; without it they are wiped and restored from Kafka after one
 * @param commitInterval how often state and outcomes are committed; nobody waits for it
 * @param port where other processes reach this one's state; null: no other process does
 * @param maxWaiters callers that may wait for one partition at once
 */
public record TopologyConfig(
    Map<String, Object> kafka,
    Topics topics,
    short replication,
    String applicationPrefix,
    Path stateDirectory,
    String instanceId,
    int threads,
    int standbys,
    boolean transactionalStores,
    Duration commitInterval,
    QueryPort port,
    int maxWaiters) {
  public static final String DEFAULT_APPLICATION_PREFIX = "sluice-";

  public TopologyConfig {
    kafka = Map.copyOf(kafka);
  }

  /**
   * The internal port.
   *
   * @param bind address to listen on
   * @param advertised how other processes reach it
   * @param port 0 for any free one
   * @param token shared by all processes of an installation
   */
  public record QueryPort(String bind, String advertised, int port, String token) {
    @Override
    public String toString() {
      return advertised + ":" + port;
    }
  }

  /** With defaults for everything that has one: a single instance that nobody else asks. */
  public static TopologyConfig of(
      Map<String, Object> kafka, Topics topics, Path stateDirectory, String instanceId) {
    return new TopologyConfig(
        kafka,
        topics,
        (short) -1,
        DEFAULT_APPLICATION_PREFIX,
        stateDirectory,
        instanceId,
        2,
        1,
        true,
        Duration.ofMillis(100),
        null,
        100_000);
  }

  public String admissionApplication() {
    return applicationPrefix + "admission";
  }

  public String roomsApplication() {
    return applicationPrefix + "hot-rooms";
  }

  public String settingsApplication() {
    return applicationPrefix + "settings";
  }

  public TopologyConfig withTransactionalStores(boolean transactional) {
    return new TopologyConfig(
        kafka,
        topics,
        replication,
        applicationPrefix,
        stateDirectory,
        instanceId,
        threads,
        standbys,
        transactional,
        commitInterval,
        port,
        maxWaiters);
  }

  public TopologyConfig withPort(QueryPort queryPort) {
    return new TopologyConfig(
        kafka,
        topics,
        replication,
        applicationPrefix,
        stateDirectory,
        instanceId,
        threads,
        standbys,
        transactionalStores,
        commitInterval,
        queryPort,
        maxWaiters);
  }
}
