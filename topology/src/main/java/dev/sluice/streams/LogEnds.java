package dev.sluice.streams;

import dev.sluice.query.OwnedLog;
import dev.sluice.query.OwnedLogs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Tells owned partitions where their log begins and ends: at once after a takeover, since they are
 * ready only when they have caught up with it, and every second for their lag. Driven by one
 * thread, which it never holds up.
 */
public final class LogEnds {
  private static final long EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  private final OwnedLogs<?> owned;
  private final Admin admin;
  private final String topic;
  private final String group;
  private volatile boolean asking;
  private long askedNanos = System.nanoTime() - EVERY_NANOS;

  /** Of partitions that know themselves what they have applied. */
  public LogEnds(OwnedLogs<?> owned, Admin admin, String topic) {
    this(owned, admin, topic, null);
  }

  /**
   * @param group whose committed offsets tell what had been applied before a takeover; null: the
   *     partitions know it
   */
  public LogEnds(OwnedLogs<?> owned, Admin admin, String topic, String group) {
    this.owned = owned;
    this.admin = admin;
    this.topic = topic;
    this.group = group;
  }

  /** Asks if it is time to. */
  public void look(long nowNanos) {
    if (asking) {
      return;
    }
    boolean all = nowNanos - askedNanos >= EVERY_NANOS;
    List<OwnedLog> asked = new ArrayList<>();
    for (OwnedLog partition : owned.all()) {
      if (all || partition.needsLogEnd()) {
        asked.add(partition);
      }
    }
    if (all) {
      askedNanos = nowNanos;
    }
    if (!asked.isEmpty()) {
      ask(asked);
    }
  }

  private void ask(List<OwnedLog> asked) {
    asking = true;
    CompletionStage<Map<TopicPartition, ListOffsetsResultInfo>> begins =
        admin.listOffsets(specs(asked, OffsetSpec.earliest())).all().toCompletionStage();
    CompletionStage<Map<TopicPartition, ListOffsetsResultInfo>> ends =
        admin.listOffsets(specs(asked, OffsetSpec.latest())).all().toCompletionStage();
    begins
        .thenCombine(committed(), this::furthest)
        .thenAcceptBoth(ends, (begin, end) -> tell(asked, begin, end))
        .whenComplete((told, failure) -> asking = false);
  }

  private CompletionStage<Map<TopicPartition, OffsetAndMetadata>> committed() {
    return group == null
        ? CompletableFuture.completedFuture(Map.of())
        : admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().toCompletionStage();
  }

  private Map<TopicPartition, Long> furthest(
      Map<TopicPartition, ListOffsetsResultInfo> begins,
      Map<TopicPartition, OffsetAndMetadata> committed) {
    Map<TopicPartition, Long> furthest = new HashMap<>();
    begins.forEach(
        (partition, begin) -> {
          OffsetAndMetadata next = committed.get(partition);
          furthest.put(partition, Math.max(begin.offset(), next == null ? -1 : next.offset()));
        });
    return furthest;
  }

  private void tell(
      List<OwnedLog> asked,
      Map<TopicPartition, Long> begins,
      Map<TopicPartition, ListOffsetsResultInfo> ends) {
    for (OwnedLog partition : asked) {
      TopicPartition at = new TopicPartition(topic, partition.partition());
      partition.logSeen(begins.get(at), ends.get(at).offset());
    }
  }

  private Map<TopicPartition, OffsetSpec> specs(List<OwnedLog> of, OffsetSpec spec) {
    Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
    for (OwnedLog partition : of) {
      specs.put(new TopicPartition(topic, partition.partition()), spec);
    }
    return specs;
  }
}
