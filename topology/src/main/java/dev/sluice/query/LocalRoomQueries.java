package dev.sluice.query;

import dev.sluice.contract.Partitions;
import dev.sluice.hot.HeatReader;
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
  private final OwnedLogs<OwnedPart<HeatReader>> heats;
  private final int partitions;
  private final Duration readAtMost;

  /**
   * @param partitions of the topics that are keyed by room
   * @param readAtMost how long a read may wait for its partition to catch up
   */
  public LocalRoomQueries(
      OwnedLogs<OwnedPart<Feed>> feeds,
      OwnedLogs<OwnedPart<Members>> members,
      OwnedLogs<OwnedPart<HeatReader>> heats,
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
        new OwnedLogs<>(), new OwnedLogs<>(), new OwnedLogs<>(), partitions, readAtMost);
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
    return ofHeat(partitionOf(roomId), reader -> reader.room(roomId));
  }

  /** Those of {@link RoomQueries#hot} that are in a partition. */
  public CompletableFuture<List<RoomHeat>> hot(int partition) {
    return ofHeat(partition, HeatReader::hot);
  }

  private <T> CompletableFuture<T> ofHeat(int partition, Function<HeatReader, T> look) {
    return ofOwner(
        heats,
        partition,
        owner -> owner.read(RoomQueries.BEGINNING, readAtMost, () -> look.apply(owner.reader())));
  }

  /** The partitions owned here as they stand, with the busiest rooms of those that are ready. */
  public HeatSystem heatSystem(String ownerName) {
    List<PartitionHeat> views = new ArrayList<>();
    List<RoomHeat> rooms = new ArrayList<>();
    for (OwnedPart<HeatReader> heat : heats.all()) {
      views.add(view(heat, ownerName));
      if (heat.isReady() && heat.reader().isReady()) {
        rooms.addAll(heat.reader().busiest(HeatSystem.MAX_ROOMS));
      }
    }
    return new HeatSystem(views, hottest(rooms));
  }

  private PartitionHeat view(OwnedPart<HeatReader> heat, String ownerName) {
    OwnedPart<Feed> events = feeds.get(heat.partition());
    HeatReader.Figures figures = heat.reader().figures();
    return new PartitionHeat(
        heat.partition(),
        heat.status(),
        ownerName,
        heat.lag(),
        events == null ? -1 : events.lag(),
        figures.rooms(),
        figures.late(),
        figures.ahead(),
        figures.shed(),
        figures.decisionMillis());
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
}
