package dev.sluice.kinesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.kinesis.ModelStream.ModelShard;
import dev.sluice.kinesis.ModelStream.Stored;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ChildShard;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.KinesisException;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/** Two instances, told this and that and started anew at random, are as the model says. */
@Tag("slow")
class ModelProperties {
  private static final int STEPS = 60;
  private static final int INSTANCES = 2;
  private static final int MOST_SHARDS = 8;
  private static final int KEYS = 50;

  @Property(tries = 4, shrinking = ShrinkingMode.OFF)
  void a_stream_is_as_the_model_of_it(@ForAll long seed) throws Exception {
    try (World world = new World(seed)) {
      for (int step = 0; step < STEPS; step++) {
        world.step();
      }
      world.compareAll();
    }
  }

  private static final class World implements AutoCloseable {
    private final Random random;
    private final Endpoints endpoints = new Endpoints();
    private final List<KinesisEndpoint> running = new ArrayList<>();
    private final List<KinesisClient> clients = new ArrayList<>();
    private final ModelStream model;
    private final String stream;
    private int texts;

    World(long seed) throws IOException {
      random = new Random(seed);
      for (int i = 0; i < INSTANCES; i++) {
        running.add(endpoints.start(Clock.systemUTC()));
        clients.add(endpoints.client(running.get(i), random.nextBoolean()));
      }
      int shards = random.nextInt(1, 4);
      model = new ModelStream(shards);
      stream = endpoints.create(client(), shards);
    }

    private KinesisClient client() {
      return clients.get(random.nextInt(INSTANCES));
    }

    void step() throws IOException {
      switch (random.nextInt(12)) {
        case 0 -> split();
        case 1 -> merge();
        case 2 -> restart();
        case 3, 4 -> compare(any(List.copyOf(model.shards.values())));
        case 5 -> readFromARecord();
        default -> put();
      }
    }

    private <T> T any(List<T> all) {
      return all.get(random.nextInt(all.size()));
    }

    private void put() {
      List<PutRecordsRequestEntry> entries = new ArrayList<>();
      List<BigInteger> hashes = new ArrayList<>();
      int count = random.nextInt(1, 30);
      for (int i = 0; i < count; i++) {
        String key = "key-" + random.nextInt(KEYS);
        BigInteger explicit = random.nextInt(4) == 0 ? anyHash() : null;
        hashes.add(explicit == null ? ModelStream.hash(key) : explicit);
        entries.add(
            PutRecordsRequestEntry.builder()
                .partitionKey(key)
                .explicitHashKey(explicit == null ? null : explicit.toString())
                .data(SdkBytes.fromUtf8String("text-" + texts++))
                .build());
      }
      PutRecordsResponse put =
          client().putRecords(request -> request.streamName(stream).records(entries));
      assertThat(put.failedRecordCount()).isZero();
      for (int i = 0; i < count; i++) {
        ModelShard shard = model.openFor(hashes.get(i));
        assertThat(put.records().get(i).shardId()).isEqualTo(id(shard.number));
        shard.records.add(
            new Stored(
                put.records().get(i).sequenceNumber(), entries.get(i).data().asUtf8String()));
      }
    }

    /** At the edge of a shard as often as within one. */
    private BigInteger anyHash() {
      ModelShard shard = any(model.open());
      return switch (random.nextInt(3)) {
        case 0 -> shard.start;
        case 1 -> shard.end;
        default -> new BigInteger(128, random);
      };
    }

    private void split() {
      ModelShard parent = any(List.copyOf(model.shards.values()));
      BigInteger at = random.nextBoolean() ? anyHash() : parent.start.add(parent.end).shiftRight(1);
      if (model.open().size() >= MOST_SHARDS) {
        return;
      }
      KinesisClient client = client();
      if (parent.canSplitAt(at)) {
        client.splitShard(
            request ->
                request
                    .streamName(stream)
                    .shardToSplit(id(parent.number))
                    .newStartingHashKey(at.toString()));
        model.split(parent, at);
        Endpoints.awaitActive(client, stream);
      } else {
        assertThatThrownBy(
                () ->
                    client.splitShard(
                        request ->
                            request
                                .streamName(stream)
                                .shardToSplit(id(parent.number))
                                .newStartingHashKey(at.toString())))
            .isInstanceOf(KinesisException.class);
      }
    }

    private void merge() {
      ModelShard one = any(List.copyOf(model.shards.values()));
      ModelShard other = any(List.copyOf(model.shards.values()));
      KinesisClient client = client();
      if (!one.isClosed && !other.isClosed && one.endsWhereBegins(other)) {
        client.mergeShards(
            request ->
                request
                    .streamName(stream)
                    .shardToMerge(id(one.number))
                    .adjacentShardToMerge(id(other.number)));
        model.merge(one, other);
        Endpoints.awaitActive(client, stream);
      } else {
        assertThatThrownBy(
                () ->
                    client.mergeShards(
                        request ->
                            request
                                .streamName(stream)
                                .shardToMerge(id(one.number))
                                .adjacentShardToMerge(id(other.number))))
            .isInstanceOf(KinesisException.class);
      }
    }

    private void restart() throws IOException {
      int which = random.nextInt(INSTANCES);
      running.get(which).close();
      running.set(which, endpoints.start(Clock.systemUTC()));
      clients.set(which, endpoints.client(running.get(which), random.nextBoolean()));
    }

    private void readFromARecord() {
      ModelShard shard = any(List.copyOf(model.shards.values()));
      if (shard.records.isEmpty()) {
        return;
      }
      int from = random.nextInt(shard.records.size());
      boolean after = random.nextBoolean();
      String iterator =
          client()
              .getShardIterator(
                  request ->
                      request
                          .streamName(stream)
                          .shardId(id(shard.number))
                          .startingSequenceNumber(shard.records.get(from).sequenceNumber())
                          .shardIteratorType(
                              after
                                  ? ShardIteratorType.AFTER_SEQUENCE_NUMBER
                                  : ShardIteratorType.AT_SEQUENCE_NUMBER))
              .shardIterator();
      assertThat(readOn(shard, iterator))
          .isEqualTo(shard.records.subList(from + (after ? 1 : 0), shard.records.size()));
    }

    void compareAll() {
      List<Shard> listed = Endpoints.shards(client(), stream);
      assertThat(listed).hasSize(model.shards.size());
      for (Shard shard : listed) {
        ModelShard wanted =
            model.shards.get(Integer.parseInt(shard.shardId().substring("shardId-".length())));
        assertThat(shard.hashKeyRange().startingHashKey()).isEqualTo(wanted.start.toString());
        assertThat(shard.hashKeyRange().endingHashKey()).isEqualTo(wanted.end.toString());
        assertThat(shard.parentShardId()).isEqualTo(id(wanted.parent));
        assertThat(shard.adjacentParentShardId()).isEqualTo(id(wanted.adjacentParent));
        assertThat(shard.sequenceNumberRange().endingSequenceNumber() != null)
            .isEqualTo(wanted.isClosed);
        compare(wanted);
        for (Integer parent : new Integer[] {wanted.parent, wanted.adjacentParent}) {
          if (parent != null) {
            assertThat(shard.sequenceNumberRange().startingSequenceNumber())
                .as("a child's numbers are above its parent's")
                .isGreaterThan(listed.get(parent).sequenceNumberRange().endingSequenceNumber());
          }
        }
      }
    }

    private void compare(ModelShard shard) {
      String iterator =
          Endpoints.iterator(client(), stream, id(shard.number), ShardIteratorType.TRIM_HORIZON);
      assertThat(readOn(shard, iterator)).isEqualTo(shard.records);
    }

    /** All from there on; at the end an open shard has an iterator, and a closed one children. */
    private List<Stored> readOn(ModelShard shard, String first) {
      List<Stored> all = new ArrayList<>();
      String iterator = first;
      while (true) {
        String from = iterator;
        int limit = random.nextInt(1, 40);
        GetRecordsResponse got =
            client().getRecords(request -> request.shardIterator(from).limit(limit));
        got.records()
            .forEach(
                record ->
                    all.add(new Stored(record.sequenceNumber(), record.data().asUtf8String())));
        iterator = got.nextShardIterator();
        if (iterator == null) {
          assertThat(shard.isClosed).isTrue();
          assertThat(got.childShards())
              .extracting(ChildShard::shardId)
              .containsExactlyElementsOf(
                  model.children(shard).stream().map(child -> id(child.number)).toList());
          return all;
        }
        if (got.records().isEmpty() && got.millisBehindLatest() == 0) {
          assertThat(shard.isClosed).isFalse();
          return all;
        }
      }
    }

    private static String id(Integer number) {
      return number == null ? null : "shardId-%012d".formatted(number);
    }

    @Override
    public void close() throws Exception {
      endpoints.close();
    }
  }
}
