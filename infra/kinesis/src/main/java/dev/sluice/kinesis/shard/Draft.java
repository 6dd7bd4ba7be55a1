package dev.sluice.kinesis.shard;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A stream while a decision changes it. */
final class Draft {
  final String name;
  final long created;
  StreamState.Status status;
  StreamState.Mode mode;
  int retentionHours;
  int maxRecordKiB;
  String keyId;
  List<String> metrics;
  final Map<String, String> tags;
  final List<Consumer> consumers;
  final List<Shard> shards;
  int nextShard;
  int partitions;
  Resharding resharding;
  final String topic;

  Draft(StreamState from) {
    name = from.name();
    created = from.created();
    status = from.status();
    mode = from.mode();
    retentionHours = from.retentionHours();
    maxRecordKiB = from.maxRecordKiB();
    keyId = from.keyId();
    metrics = from.metrics();
    tags = new TreeMap<>(from.tags());
    consumers = new ArrayList<>(from.consumers());
    shards = new ArrayList<>(from.shards());
    nextShard = from.nextShard();
    partitions = from.partitions();
    resharding = from.resharding();
    topic = from.topic();
  }

  void replace(Shard shard) {
    shards.replaceAll(old -> old.number() == shard.number() ? shard : old);
  }

  StreamState state() {
    return new StreamState(
        name,
        status,
        mode,
        created,
        retentionHours,
        maxRecordKiB,
        keyId,
        metrics,
        tags,
        consumers,
        shards,
        nextShard,
        partitions,
        resharding,
        topic);
  }
}
