package dev.sluice.admission.streams;

import dev.sluice.query.OwnedPartition;
import dev.sluice.query.OwnedPartitions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * Tells owned partitions where their log begins and ends: at once after a takeover, since they are
 * ready only when they have caught up with it, and every second for their lag. Driven by one
 * thread, which it never holds up.
 */
public final class LogEnds {
  private static final long EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  private final OwnedPartitions owned;
  private final Admin admin;
  private final String topic;
  private volatile boolean asking;
  private long askedNanos = System.nanoTime() - EVERY_NANOS;

  public LogEnds(OwnedPartitions owned, Admin admin, String topic) {
    this.owned = owned;
    this.admin = admin;
    this.topic = topic;
  }

  /** Asks if it is time to. */
  public void look(long nowNanos) {
    if (asking) {
      return;
    }
    boolean all = nowNanos - askedNanos >= EVERY_NANOS;
    List<OwnedPartition> asked = new ArrayList<>();
    for (OwnedPartition partition : owned.all()) {
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

  private void ask(List<OwnedPartition> asked) {
    asking = true;
    ListOffsetsResult begins = admin.listOffsets(specs(asked, OffsetSpec.earliest()));
    ListOffsetsResult ends = admin.listOffsets(specs(asked, OffsetSpec.latest()));
    begins
        .all()
        .toCompletionStage()
        .thenAcceptBoth(ends.all().toCompletionStage(), (begin, end) -> tell(asked, begin, end))
        .whenComplete((told, failure) -> asking = false);
  }

  private void tell(
      List<OwnedPartition> asked,
      Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> begins,
      Map<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> ends) {
    for (OwnedPartition partition : asked) {
      TopicPartition at = new TopicPartition(topic, partition.partition());
      partition.logSeen(begins.get(at).offset(), ends.get(at).offset());
    }
  }

  private Map<TopicPartition, OffsetSpec> specs(List<OwnedPartition> of, OffsetSpec spec) {
    Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
    for (OwnedPartition partition : of) {
      specs.put(new TopicPartition(topic, partition.partition()), spec);
    }
    return specs;
  }
}
