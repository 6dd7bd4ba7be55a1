package dev.sluice.runtime;

import dev.sluice.contract.Topics;
import dev.sluice.contract.Topics.Cleanup;
import dev.sluice.contract.Topics.TopicSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * The first step of a start: all topics of the contract exist and are as they must be. Missing ones
 * are created; one that differs is refused, in words.
 */
public final class TopicsStep {
  private static final int TIMEOUT_MILLIS = 30_000;
  private static final String LOG_APPEND_TIME = "LogAppendTime";

  private final Map<String, Object> kafka;
  private final List<TopicSpec> specs;
  private final short replication;

  /**
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param replication copies of each topic created; -1 for the broker's default
   */
  public TopicsStep(Map<String, Object> kafka, Topics topics, short replication) {
    this.kafka = Map.copyOf(kafka);
    this.specs = topics.specs();
    this.replication = replication;
  }

  /**
   * Creates what is missing and checks the rest. Several processes may do so at once.
   *
   * @throws StartException naming the topic, what is expected and what is there
   */
  public void run() {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
    try (Admin admin = Admin.create(settings)) {
      create(admin, missing(admin));
      check(admin);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("Interrupted while looking at the topics", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw new StartException(
            "Kafka at " + kafka.get("bootstrap.servers") + " gave no answer within 30 s", e);
      }
      throw new StartException("The topics can't be looked at: " + e.getCause().getMessage(), e);
    }
  }

  private List<TopicSpec> missing(Admin admin) throws ExecutionException, InterruptedException {
    Set<String> present = admin.listTopics().names().get();
    return specs.stream().filter(spec -> !present.contains(spec.name())).toList();
  }

  private void create(Admin admin, Collection<TopicSpec> missing)
      throws ExecutionException, InterruptedException {
    List<NewTopic> topics =
        missing.stream()
            .map(
                spec ->
                    new NewTopic(spec.name(), spec.partitions(), replication)
                        .configs(expected(spec)))
            .toList();
    for (var created : admin.createTopics(topics).values().values()) {
      try {
        created.get();
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof TopicExistsException)) {
          throw e;
        }
      }
    }
  }

  private static Map<String, String> expected(TopicSpec spec) {
    Map<String, String> configs = new HashMap<>();
    configs.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, LOG_APPEND_TIME);
    if (spec.cleanup() == Cleanup.COMPACT) {
      configs.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT);
      configs.put(
          TopicConfig.DELETE_RETENTION_MS_CONFIG, Long.toString(spec.retention().toMillis()));
    } else {
      configs.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
      configs.put(TopicConfig.RETENTION_MS_CONFIG, Long.toString(spec.retention().toMillis()));
    }
    return configs;
  }

  private void check(Admin admin) throws ExecutionException, InterruptedException {
    Map<String, TopicDescription> descriptions = describe(admin);
    Map<ConfigResource, Config> configs =
        admin
            .describeConfigs(
                specs.stream()
                    .map(spec -> new ConfigResource(ConfigResource.Type.TOPIC, spec.name()))
                    .toList())
            .all()
            .get();
    List<String> differences = new ArrayList<>();
    for (TopicSpec spec : specs) {
      Config config = configs.get(new ConfigResource(ConfigResource.Type.TOPIC, spec.name()));
      differences.addAll(differences(spec, descriptions.get(spec.name()), config));
    }
    if (!differences.isEmpty()) {
      throw new StartException(String.join("\n", differences));
    }
  }

  /** Right after its creation a topic may be unknown to the broker that is asked. */
  private Map<String, TopicDescription> describe(Admin admin)
      throws ExecutionException, InterruptedException {
    List<String> names = specs.stream().map(TopicSpec::name).toList();
    long deadline = System.nanoTime() + TIMEOUT_MILLIS * 1_000_000L;
    while (true) {
      try {
        return admin.describeTopics(names).allTopicNames().get();
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
            || System.nanoTime() > deadline) {
          throw e;
        }
        Thread.sleep(50);
      }
    }
  }

  private static List<String> differences(
      TopicSpec spec, TopicDescription description, Config config) {
    List<String> found = new ArrayList<>();
    int partitions = description.partitions().size();
    if (partitions != spec.partitions()) {
      found.add(
          "Topic %s has %d partitions and must have %d; their number can't change once it holds records."
              .formatted(spec.name(), partitions, spec.partitions()));
    }
    for (Map.Entry<String, String> expected : expected(spec).entrySet()) {
      String actual = value(config, expected.getKey());
      if (!expected.getValue().equals(actual)) {
        found.add(
            "Topic %s has %s=%s and must have %s."
                .formatted(spec.name(), expected.getKey(), actual, expected.getValue()));
      }
    }
    int replicas =
        description.partitions().stream().mapToInt(p -> p.replicas().size()).min().orElse(0);
    String minInSync = value(config, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
    if (minInSync != null && Integer.parseInt(minInSync) > replicas) {
      found.add(
          "Topic %s needs %s in-sync replicas for each write but has only %d replicas."
              .formatted(spec.name(), minInSync, replicas));
    }
    return found;
  }

  private static String value(Config config, String name) {
    ConfigEntry entry = config.get(name);
    return entry == null ? null : entry.value();
  }
}
