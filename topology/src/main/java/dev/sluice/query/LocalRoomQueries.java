package dev.sluice.query;

import dev.sluice.contract.Partitions;
import dev.sluice.query.HeatSystem.PartitionHeat;
import dev.sluice.rooms.Feed;
import dev.sluice.rooms.Members;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Answers what can be asked of rooms for the partitions owned by this process. For any other it
 * says {@link QueryException.Kind#MOVING}. Thread-safe.
 */
public final class LocalRoomQueries {
  /** Hottest first, as near to or far beyond their thresholds as they are. */
  static final Comparator<RoomHeat> HOTTEST_FIRST =
      Comparator.comparing(RoomHeat::isHot)
          .thenComparingDouble(room -> (double) room.rate() / Math.max(1, room.threshold()))
          .thenComparingLong(RoomHeat::rate)
          .reversed()
          .thenComparing(RoomHeat::roomId);

  private final OwnedLogs<OwnedPart<Feed>> feeds;
  private final OwnedLogs<OwnedPart<Members>> members;
  private final OwnedHeats heats;
  private final int partitions;
  private final Duration readAtMost;

  /**
   * @param partitions of the topics that are keyed by room
   * @param readAtMost how long a read may wait for its partition to catch up
   */
  public LocalRoomQueries(
      OwnedLogs<OwnedPart<Feed>> feeds,
      OwnedLogs<OwnedPart<Members>> members,
      OwnedHeats heats,
      int partitions,
      Duration readAtMost) {
    this.feeds = feeds;
    this.members = members;
    this.heats = heats;
    this.partitions = partitions;
    this.readAtMost = readAtMost;
  }

  /** For a process that owns nothing. */
  public static LocalRoomQueries none(int partitions, Duration readAtMost) {
    return new LocalRoomQueries(
        new OwnedLogs<>(), new OwnedLogs<>(), new OwnedHeats(), partitions, readAtMost);
  }

  int partitions() {
    return partitions;
  }

  int partitionOf(String roomId) {
    return Partitions.of(roomId, partitions);
  }

  Duration readAtMost() {
    return readAtMost;
  }

  boolean ownsRooms(int partition) {
    return feeds.get(partition) != null && members.get(partition) != null;
  }

  boolean ownsHeat(int partition) {
    return heats.get(partition) != null;
  }

  /** As {@link RoomQueries#feed}. */
  public CompletableFuture<FeedPage> feed(String roomId, long after, long upTo, int limit) {
    return ofOwner(
        feeds,
        partitionOf(roomId),
        owner ->
            owner.read(
                Math.max(after, upTo),
                readAtMost,
                () -> owner.reader().page(roomId, after, limit)));
  }

  /** As {@link RoomQueries#members}. */
  public CompletableFuture<Long> members(String roomId) {
    return ofOwner(
        members,
        partitionOf(roomId),
        owner -> owner.read(RoomQueries.BEGINNING, readAtMost, () -> owner.reader().count(roomId)));
  }

  /** As {@link RoomQueries#heat}. */
  public CompletableFuture<RoomHeat> heat(String roomId) {
    return ofHeat(partitionOf(roomId), owner -> owner.room(roomId));
  }

  /** Those of {@link RoomQueries#hot} that are in a partition. */
  public CompletableFuture<List<RoomHeat>> hot(int partition) {
    return ofHeat(partition, OwnedHeat::hot);
  }

  /** The partitions owned here as they stand, with the busiest rooms of all of them. */
  public HeatSystem heatSystem(String ownerName) {
    List<PartitionHeat> views = new ArrayList<>();
    List<RoomHeat> rooms = new ArrayList<>();
    for (OwnedHeat heat : heats.all()) {
      OwnedPart<Feed> events = feeds.get(heat.partition());
      views.add(heat.status(ownerName, events == null ? -1 : events.lag()));
      rooms.addAll(heat.busiest(HeatSystem.MAX_ROOMS));
    }
    return new HeatSystem(views, hottest(rooms));
  }

  static List<RoomHeat> hottest(List<RoomHeat> rooms) {
    return rooms.stream().sorted(HOTTEST_FIRST).limit(HeatSystem.MAX_ROOMS).toList();
  }

  private static <P extends OwnedLog, T> CompletableFuture<T> ofOwner(
      OwnedLogs<P> owned, int partition, Function<P, CompletableFuture<T>> ask) {
    P owner = owned.get(partition);
    return owner == null
        ? CompletableFuture.failedFuture(LocalQueries.notHere(partition))
        : ask.apply(owner);
  }

  private <T> CompletableFuture<T> ofHeat(int partition, Function<OwnedHeat, T> ask) {
    OwnedHeat owner = heats.get(partition);
    if (owner == null) {
      return CompletableFuture.failedFuture(LocalQueries.notHere(partition));
    }
    try {
      return CompletableFuture.completedFuture(ask.apply(owner));
    } catch (QueryException e) {
      return CompletableFuture.failedFuture(e);
    }
  }
}
