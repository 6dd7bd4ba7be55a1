package dev.sluice.kinesis.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.kinesis.shard.StreamState.Mode;
import dev.sluice.kinesis.shard.StreamState.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

class ReshardingProperties {
  private static final Account ACCOUNT = Account.DEFAULT;
  private static final long HOUR = 3_600_000;

  /** A stream and the ends of its partitions, to which time and chance add. */
  private static final class World {
    final Random random;
    final Map<Integer, Long> ends = new HashMap<>();
    long now = 1_800_000_000_123L;
    StreamState stream;

    World(long seed, int shards) {
      random = new Random(seed);
      stream =
          StreamChange.finished(
              StreamChange.create(
                  ACCOUNT, null, List.of(), "s", Mode.PROVISIONED, shards, 1_024, Map.of(), now));
    }

    /** Somebody writes to a partition. */
    long append(int partition) {
      return ends.merge(partition, random.nextInt(1, 5) + 1L, Long::sum) - 1;
    }

    Shard any() {
      List<Shard> open = stream.open();
      return open.get(random.nextInt(open.size()));
    }

    void step() {
      now += random.nextLong(2 * HOUR);
      try {
        switch (random.nextInt(4)) {
          case 0 -> {
            Shard shard = any();
            HashKey middle = new HashKey(random.nextLong(), random.nextLong());
            stream = Resharding.split(ACCOUNT, stream, shard.id(), middle, now);
          }
          case 1 -> stream = Resharding.merge(ACCOUNT, stream, any().id(), any().id());
          case 2 -> stream = Resharding.updateCount(ACCOUNT, stream, random.nextInt(1, 9), now);
          default -> now += 12 * HOUR;
        }
      } catch (KinesisException e) {
        assertThat(e.type()).isIn(ErrorType.INVALID_ARGUMENT, ErrorType.LIMIT_EXCEEDED);
      }
    }

    void end() {
      List<Long> markers = new ArrayList<>();
      for (Shard parent : stream.resharding().parents(stream)) {
        markers.add(Math.max(append(parent.partition()), parent.start()));
        ends.merge(parent.partition(), markers.get(markers.size() - 1) + 1, Math::max);
      }
      StreamState before = stream;
      stream = Resharding.closed(stream, markers, now);
      checkLineage(before);
    }

    private void checkLineage(StreamState before) {
      for (Shard child : stream.shards()) {
        if (before.shard(child.number()).isPresent()) {
          continue;
        }
        Shard parent = before.shard(child.parent()).orElseThrow();
        assertThat(child.startingSequenceNumber())
            .isGreaterThan(stream.shard(parent.number()).orElseThrow().endingSequenceNumber());
        if (child.adjacentParent() == Shard.NONE) {
          assertThat(parent.range().contains(child.range())).isTrue();
          assertThat(stream.children(parent)).hasSize(2);
        } else {
          Shard second = before.shard(child.adjacentParent()).orElseThrow();
          assertThat(child.range())
              .isEqualTo(new HashRange(parent.range().start(), second.range().end()));
          assertThat(child.startingSequenceNumber())
              .isGreaterThan(stream.shard(second.number()).orElseThrow().endingSequenceNumber());
        }
      }
    }

    void check() {
      List<Shard> ring =
          stream.open().stream()
              .sorted(Comparator.comparing(shard -> shard.range().start()))
              .toList();
      assertThat(ring.get(0).range().start()).isEqualTo(HashKey.ZERO);
      assertThat(ring.get(ring.size() - 1).range().end()).isEqualTo(HashKey.MAX);
      for (int i = 1; i < ring.size(); i++) {
        assertThat(ring.get(i - 1).range().isBefore(ring.get(i).range())).isTrue();
      }
      Ring places = Ring.of(stream);
      HashKey key = new HashKey(random.nextLong(), random.nextLong());
      assertThat(places.shard(places.place(key)).range().contains(key)).isTrue();
      for (Shard shard : ring) {
        assertThat(places.shard(places.place(shard.range().start()))).isEqualTo(shard);
        assertThat(places.shard(places.place(shard.range().end()))).isEqualTo(shard);
      }
      checkPartitions();
      checkFilters();
    }

    private void checkPartitions() {
      for (int partition = 0; partition < stream.partitions(); partition++) {
        int one = partition;
        List<Shard> inTurn =
            stream.shards().stream()
                .filter(shard -> shard.partition() == one)
                .sorted(Comparator.comparing(Shard::start))
                .toList();
        for (int i = 1; i < inTurn.size(); i++) {
          assertThat(inTurn.get(i - 1).isClosed()).isTrue();
          assertThat(inTurn.get(i - 1).end()).isLessThan(inTurn.get(i).start());
        }
      }
      assertThat(stream.shards())
          .allMatch(shard -> shard.partition() < stream.partitions())
          .isSortedAccordingTo(Comparator.comparing(Shard::number));
    }

    /** Those open at any time have the ring, too. */
    private void checkFilters() {
      long then = now - random.nextLong(30 * HOUR);
      for (ShardFilter filter :
          List.of(
              new ShardFilter.AtLatest(),
              new ShardFilter.AtTrimHorizon(),
              new ShardFilter.AtTimestamp(then))) {
        List<Shard> shards =
            filter.of(stream, now).stream()
                .sorted(Comparator.comparing(shard -> shard.range().start()))
                .toList();
        assertThat(shards.get(0).range().start()).isEqualTo(HashKey.ZERO);
        assertThat(shards.get(shards.size() - 1).range().end()).isEqualTo(HashKey.MAX);
        for (int i = 1; i < shards.size(); i++) {
          assertThat(shards.get(i - 1).range().isBefore(shards.get(i).range())).isTrue();
        }
        assertThat(new ShardFilter.FromTimestamp(then).of(stream, now))
            .containsAll(new ShardFilter.AtTimestamp(then).of(stream, now));
      }
    }
  }

  @Property(tries = 40)
  void theRingIsAlwaysWholeAndChildrenFollowTheirParents(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 5) int shards) {
    World world = new World(seed, shards);
    for (int i = 0; i < 40; i++) {
      world.step();
      world.check();
      while (world.stream.resharding() != null) {
        world.end();
        world.check();
      }
      assertThat(world.stream.status()).isEqualTo(Status.ACTIVE);
    }
  }

  @Property(tries = 50)
  void anUpdatedCountMakesUniformShards(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int shards,
      @ForAll @IntRange(min = 1, max = 24) int target) {
    World world = new World(seed, shards);
    if (target > 2 * shards || 2 * target < shards) {
      assertThatThrownBy(() -> Resharding.updateCount(ACCOUNT, world.stream, target, world.now))
          .isInstanceOf(KinesisException.class)
          .hasMessageStartingWith("UpdateShardCount cannot scale ");
      return;
    }
    world.stream = Resharding.updateCount(ACCOUNT, world.stream, target, world.now);
    while (world.stream.resharding() != null) {
      world.end();
      world.check();
    }
    assertThat(
            world.stream.open().stream()
                .map(Shard::range)
                .sorted(Comparator.comparing(HashRange::start)))
        .isEqualTo(HashRange.uniform(target));
  }

  @Example
  void aPartitionLeftByAMergeIsTakenAgainOnceNothingOfItCanBeRead() {
    World world = new World(1, 2);
    world.stream = Resharding.merge(ACCOUNT, world.stream, Shard.id(0), Shard.id(1));
    world.end();
    long merged = world.now;

    StreamState soon =
        Resharding.split(
            ACCOUNT, world.stream, Shard.id(2), HashRange.uniform(2).get(1).start(), merged + 1);
    StreamState later =
        Resharding.split(
            ACCOUNT,
            world.stream,
            Shard.id(2),
            HashRange.uniform(2).get(1).start(),
            merged + 24 * HOUR);

    assertThat(soon.resharding().partition()).isEqualTo(2);
    assertThat(later.resharding().partition()).isEqualTo(1);
    StreamState split = Resharding.closed(later, List.of(100L), merged + 24 * HOUR);
    long oldEnd = world.stream.shard(1).orElseThrow().end();
    assertThat(split.shard(4).orElseThrow().start()).isEqualTo(oldEnd + 1);
    assertThat(split.partitions()).isEqualTo(2);
  }

  @Example
  void whatCannotBeDoneIsRefusedInTheWordsOfAws() {
    StreamState stream = new World(1, 2).stream;
    String half = HashRange.uniform(2).get(1).start().toString();
    String last = HashKey.MAX.toString();

    assertRefused(
        () -> Resharding.split(ACCOUNT, stream, "shardId-000000000009", HashKey.ZERO, 0),
        ErrorType.RESOURCE_NOT_FOUND,
        "Could not find shard shardId-000000000009 in stream s under account 000000000000.");
    assertRefused(
        () -> Resharding.split(ACCOUNT, stream, Shard.id(1), HashKey.ZERO.next(), 0),
        ErrorType.INVALID_ARGUMENT,
        "NewStartingHashKey 1 used in SplitShard() on shard shardId-000000000001 in stream s under account 000000000000 is not both greater than one plus the shard's StartingHashKey "
            + half
            + " and less than the shard's EndingHashKey "
            + last
            + ".");
    assertRefused(
        () -> Resharding.merge(ACCOUNT, stream, Shard.id(1), Shard.id(0)),
        ErrorType.INVALID_ARGUMENT,
        "Shards shardId-000000000001 and shardId-000000000000 in stream s under account 000000000000 are not an adjacent pair of shards eligible for merging");
    StreamState merging = Resharding.merge(ACCOUNT, stream, Shard.id(0), Shard.id(1));
    assertRefused(
        () -> Resharding.merge(ACCOUNT, merging, Shard.id(0), Shard.id(1)),
        ErrorType.RESOURCE_IN_USE,
        "Stream s under account 000000000000 not ACTIVE, instead in state UPDATING");
    StreamState merged = Resharding.closed(merging, List.of(3L, 4L), stream.created());
    assertRefused(
        () -> Resharding.split(ACCOUNT, merged, Shard.id(0), HashKey.parse("5"), 0),
        ErrorType.INVALID_ARGUMENT,
        "Shard shardId-000000000000 in stream s under account 000000000000 has already been merged or split, and thus is not eligible for merging or splitting.");
  }

  private static void assertRefused(ThrowingCallable call, ErrorType type, String words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(KinesisException.class, e -> assertThat(e.type()).isEqualTo(type))
        .hasMessage(words);
  }
}
