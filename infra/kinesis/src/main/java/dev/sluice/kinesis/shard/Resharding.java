package dev.sluice.kinesis.shard;

import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A step under way: one shard becomes two, or two become one. The parents are CLOSING; once each
 * has a marker behind its last record and the topic has the partition, {@link #closed} ends it.
 *
 * @param parent number of the shard to split, or of the first of two to merge
 * @param adjacentParent number of the second to merge, or {@link Shard#NONE}
 * @param at where the second half of a split begins; null in a merge
 * @param partition for the second half; {@link Shard#NONE} in a merge, whose child stands where its
 *     first parent stood
 * @param target how many uniform shards further steps lead to; 0 if this is all
 */
public record Resharding(int parent, int adjacentParent, HashKey at, int partition, int target) {
  public boolean isSplit() {
    return at != null;
  }

  /** Parents that need a marker each, the first first. */
  public List<Shard> parents(StreamState stream) {
    Shard first = stream.shard(parent).orElseThrow();
    return isSplit() ? List.of(first) : List.of(first, stream.shard(adjacentParent).orElseThrow());
  }

  /** How many partitions the topic must have before the step ends. */
  public int partitions(StreamState stream) {
    return Math.max(stream.partitions(), partition + 1);
  }

  /**
   * Begins to split a shard.
   *
   * @param at where its second half begins
   */
  public static StreamState split(
      Account account, StreamState stream, String shardId, HashKey at, long now) {
    Shard shard = shard(account, stream, shardId);
    checkProvisioned(account, stream);
    HashRange range = shard.range();
    if (!range.canSplitAt(at) || at.equals(range.start().next()) || at.equals(range.end())) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "NewStartingHashKey %s used in SplitShard() on shard %s in stream %s under account %s is not both greater than one plus the shard's StartingHashKey %s and less than the shard's EndingHashKey %s."
              .formatted(at, shard.id(), stream.name(), account.id(), range.start(), range.end()));
    }
    checkOpen(account, stream, shard);
    checkActive(account, stream);
    return begin(stream, splitting(stream, shard, at, 0, now));
  }

  /** Begins to merge two shards of which the second begins where the first ends. */
  public static StreamState merge(
      Account account, StreamState stream, String shardId, String adjacentId) {
    Shard first = shard(account, stream, shardId);
    Shard second = shard(account, stream, adjacentId);
    checkProvisioned(account, stream);
    checkOpen(account, stream, first);
    checkOpen(account, stream, second);
    if (!first.range().isBefore(second.range())) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Shards %s and %s in stream %s under account %s are not an adjacent pair of shards eligible for merging"
              .formatted(first.id(), second.id(), stream.name(), account.id()));
    }
    checkActive(account, stream);
    return begin(stream, merging(first, second, 0));
  }

  /**
   * Begins the steps towards {@code target} uniform shards.
   *
   * @return the same state if it has them already
   */
  public static StreamState updateCount(Account account, StreamState stream, int target, long now) {
    checkProvisioned(account, stream);
    int open = stream.open().size();
    if (target > 2 * open) {
      throw outOfReach("up over double", open, target);
    }
    if (2 * target < open) {
      throw outOfReach("down below half", open, target);
    }
    checkActive(account, stream);
    return next(stream, target, now).map(step -> begin(stream, step)).orElse(stream);
  }

  private static KinesisException outOfReach(String how, int open, int target) {
    return new KinesisException(
        ErrorType.LIMIT_EXCEEDED,
        "UpdateShardCount cannot scale %s your current open shard count. Current open shard count: %d, Target shard count: %d"
            .formatted(how, open, target));
  }

  /**
   * Ends the step that is under way, and begins the next where there is one.
   *
   * @param markers offset of each parent's marker, as {@link #parents} has them
   */
  public static StreamState closed(StreamState stream, List<Long> markers, long now) {
    Resharding step = stream.resharding();
    List<Shard> parents = step.parents(stream);
    Draft draft = new Draft(stream);
    for (int i = 0; i < parents.size(); i++) {
      draft.replace(parents.get(i).closed(markers.get(i), now));
    }
    long created = now / 1_000;
    for (Shard parent : parents) {
      created = Math.max(created, parent.createdSeconds() + 1);
    }
    Shard first = parents.get(0);
    int number = stream.nextShard();
    long start = markers.get(0) + 1;
    if (step.isSplit()) {
      HashRange low = new HashRange(first.range().start(), step.at.previous());
      HashRange high = new HashRange(step.at, first.range().end());
      draft.shards.add(
          Shard.open(number, low, first.number(), Shard.NONE, created, first.partition(), start));
      draft.shards.add(
          Shard.open(
              number + 1,
              high,
              first.number(),
              Shard.NONE,
              created,
              step.partition,
              firstFree(stream, step.partition)));
    } else {
      Shard second = parents.get(1);
      draft.shards.add(
          Shard.open(
              number,
              new HashRange(first.range().start(), second.range().end()),
              first.number(),
              second.number(),
              created,
              first.partition(),
              start));
    }
    draft.nextShard = draft.shards.get(draft.shards.size() - 1).number() + 1;
    draft.partitions = step.partitions(stream);
    draft.resharding = null;
    draft.status = StreamState.Status.ACTIVE;
    draft.shards.removeIf(shard -> isForgotten(stream, shard, now));
    StreamState ended = draft.state();
    return step.target == 0
        ? ended
        : next(ended, step.target, now).map(more -> begin(ended, more)).orElse(ended);
  }

  private static StreamState begin(StreamState stream, Resharding step) {
    Draft draft = new Draft(stream);
    for (Shard parent : step.parents(stream)) {
      draft.replace(parent.closing());
    }
    draft.resharding = step;
    draft.status = StreamState.Status.UPDATING;
    return draft.state();
  }

  /**
   * A step that makes the shards more like {@code target} uniform ones: where one of those begins
   * inside a shard it is split, else two that belong to the same one are merged.
   */
  private static Optional<Resharding> next(StreamState stream, int target, long now) {
    List<HashRange> wanted = HashRange.uniform(target);
    List<Shard> open =
        stream.open().stream()
            .sorted(Comparator.comparing(shard -> shard.range().start()))
            .toList();
    int at = 0;
    for (HashRange range : wanted) {
      while (open.get(at).range().end().compareTo(range.start()) < 0) {
        at++;
      }
      if (open.get(at).range().canSplitAt(range.start())) {
        return Optional.of(splitting(stream, open.get(at), range.start(), target, now));
      }
    }
    at = 0;
    for (int i = 0; i + 1 < open.size(); i++) {
      Shard first = open.get(i);
      Shard second = open.get(i + 1);
      while (wanted.get(at).end().compareTo(first.range().start()) < 0) {
        at++;
      }
      if (wanted.get(at).contains(second.range())) {
        return Optional.of(merging(first, second, target));
      }
    }
    return Optional.empty();
  }

  private static Resharding splitting(
      StreamState stream, Shard shard, HashKey at, int target, long now) {
    return new Resharding(shard.number(), Shard.NONE, at, freePartition(stream, now), target);
  }

  private static Resharding merging(Shard first, Shard second, int target) {
    return new Resharding(first.number(), second.number(), null, Shard.NONE, target);
  }

  /** One left by a merge long enough ago that nothing of it can be read, or else the next. */
  private static int freePartition(StreamState stream, long now) {
    BitSet taken = new BitSet();
    stream.visible(now).forEach(shard -> taken.set(shard.partition()));
    return Math.min(taken.nextClearBit(0), stream.partitions());
  }

  /** Where a shard may begin in a partition that has no open one. */
  private static long firstFree(StreamState stream, int partition) {
    return stream.shards().stream()
        .filter(shard -> shard.partition() == partition)
        .mapToLong(shard -> shard.end() + 1)
        .max()
        .orElse(0);
  }

  /**
   * Whether nobody needs to know of a shard any more: its records are gone, and another tells where
   * the next in its partition may begin.
   */
  private static boolean isForgotten(StreamState stream, Shard shard, long now) {
    return !stream.isVisible(shard, now)
        && stream.shards().stream()
            .anyMatch(
                other -> other.partition() == shard.partition() && other.start() > shard.start());
  }

  private static Shard shard(Account account, StreamState stream, String id) {
    return stream.shard(id).orElseThrow(() -> account.noShard(stream.name(), id));
  }

  private static void checkProvisioned(Account account, StreamState stream) {
    if (stream.mode() == StreamState.Mode.ON_DEMAND) {
      throw account.onDemand(stream);
    }
  }

  private static void checkActive(Account account, StreamState stream) {
    if (stream.status() != StreamState.Status.ACTIVE) {
      throw account.notActive(stream);
    }
  }

  private static void checkOpen(Account account, StreamState stream, Shard shard) {
    if (shard.isClosed()) {
      throw new KinesisException(
          ErrorType.INVALID_ARGUMENT,
          "Shard %s in stream %s under account %s has already been merged or split, and thus is not eligible for merging or splitting."
              .formatted(shard.id(), stream.name(), account.id()));
    }
  }
}
