package dev.sluice.query;

import dev.sluice.query.HeatSystem.PartitionHeat;
import dev.sluice.query.SystemView.PartitionStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** What can be asked of rooms, of whoever owns them. Thread-safe. */
public final class RoutedRoomQueries implements RoomQueries {
  private static final String LOCAL = "local";
  private static final HeatSystem NOTHING_KNOWN = new HeatSystem(List.of(), List.of());

  private final LocalRoomQueries local;
  private final QueryClient client;
  private final Routing rooms;
  private final Routing heat;

  /**
   * @param local for what this process owns, if anything
   * @param rooms owners of events and members
   * @param heat owners of counts
   * @param client asks other processes; null when there is none to ask
   */
  public RoutedRoomQueries(LocalRoomQueries local, Owners rooms, Owners heat, QueryClient client) {
    this.local = local;
    this.client = client;
    this.rooms = new Routing(local::ownsRooms, rooms, client != null);
    this.heat = new Routing(local::ownsHeat, heat, client != null);
  }

  @Override
  public int partitionOf(String roomId) {
    return local.partitionOf(roomId);
  }

  @Override
  public CompletableFuture<FeedPage> feed(String roomId, long after, long upTo, int limit) {
    return read(
        rooms,
        partitionOf(roomId),
        () -> local.feed(roomId, after, upTo, limit),
        owner -> client.feed(owner, roomId, after, upTo, limit));
  }

  @Override
  public CompletableFuture<Long> members(String roomId) {
    return read(
        rooms,
        partitionOf(roomId),
        () -> local.members(roomId),
        owner -> client.members(owner, roomId));
  }

  @Override
  public CompletableFuture<RoomHeat> heat(String roomId) {
    return read(
        heat, partitionOf(roomId), () -> local.heat(roomId), owner -> client.heat(owner, roomId));
  }

  @Override
  public CompletableFuture<List<RoomHeat>> hot() {
    CompletableFuture<List<RoomHeat>> all = CompletableFuture.completedFuture(List.of());
    for (int partition = 0; partition < local.partitions(); partition++) {
      int asked = partition;
      all =
          all.thenCombine(
              read(heat, asked, () -> local.hot(asked), owner -> client.hot(owner, asked)),
              RoutedRoomQueries::joined);
    }
    return all.thenApply(hot -> hot.stream().sorted(LocalRoomQueries.HOTTEST_FIRST).toList());
  }

  @Override
  public CompletableFuture<HeatSystem> heatSystem() {
    HeatSystem here = local.heatSystem(LOCAL);
    Set<Integer> ownedHere = new HashSet<>();
    here.partitions().forEach(view -> ownedHere.add(view.partition()));
    Set<Address> others = new LinkedHashSet<>();
    heat.owners()
        .all()
        .forEach(
            (partition, owner) -> {
              if (!ownedHere.contains(partition)) {
                others.add(owner);
              }
            });
    CompletableFuture<List<HeatSystem>> all = CompletableFuture.completedFuture(List.of(here));
    for (Address other : client == null ? Set.<Address>of() : others) {
      CompletableFuture<HeatSystem> there =
          client.heatSystem(other).exceptionally(failure -> NOTHING_KNOWN);
      all = all.thenCombine(there, (some, one) -> joined(some, List.of(one)));
    }
    return all.thenApply(this::together);
  }

  /** Of two views of one partition or room, that of the process that comes first is taken. */
  private HeatSystem together(List<HeatSystem> views) {
    Map<Integer, PartitionHeat> partitions = new TreeMap<>();
    Map<String, RoomHeat> busiest = new TreeMap<>();
    for (HeatSystem view : views) {
      view.partitions().forEach(heat -> partitions.putIfAbsent(heat.partition(), heat));
      view.rooms().forEach(room -> busiest.putIfAbsent(room.roomId(), room));
    }
    for (int partition = 0; partition < local.partitions(); partition++) {
      partitions.putIfAbsent(
          partition,
          new PartitionHeat(
              partition, PartitionStatus.UNOWNED, null, 0, -1, 0, 0, 0, 0, List.of()));
    }
    return new HeatSystem(
        List.copyOf(partitions.values()),
        LocalRoomQueries.hottest(new ArrayList<>(busiest.values())));
  }

  private <T> CompletableFuture<T> read(
      Routing routing,
      int partition,
      Supplier<CompletableFuture<T>> here,
      Function<Address, CompletableFuture<T>> there) {
    long deadline = System.nanoTime() + local.readAtMost().toNanos();
    return routing.ask(partition, deadline, here, there);
  }

  private static <T> List<T> joined(List<T> some, List<T> more) {
    List<T> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }
}
