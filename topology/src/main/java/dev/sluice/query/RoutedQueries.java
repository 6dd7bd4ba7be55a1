package dev.sluice.query;

import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.query.SystemView.PartitionView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** What can be asked of admission, of whoever owns the partition. Thread-safe. */
public final class RoutedQueries implements AdmissionQueries {
  private static final String LOCAL = "local";
  private static final SystemView NOTHING_KNOWN = new SystemView(List.of(), List.of());

  private final LocalQueries local;
  private final Routing routing;
  private final QueryClient client;

  /**
   * @param local for what this process owns, if anything
   * @param client asks other processes; null when there is none to ask
   */
  public RoutedQueries(LocalQueries local, Owners owners, QueryClient client) {
    this.local = local;
    this.routing = new Routing(local::owns, owners, client != null);
    this.client = client;
  }

  @Override
  public int partitionOf(String roomId) {
    return local.partitionOf(roomId);
  }

  @Override
  public CompletableFuture<Answer> await(int partition, long offset, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    return routing.ask(
        partition,
        deadline,
        () -> local.await(partition, offset, left(deadline)),
        owner -> client.await(owner, partition, offset, left(deadline)));
  }

  private static Duration left(long deadlineNanos) {
    return Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
  }

  @Override
  public CompletableFuture<Optional<PersonView>> person(
      String roomId, String requestId, long leastOffset) {
    return read(
        partitionOf(roomId),
        () -> local.person(roomId, requestId, leastOffset),
        owner -> client.person(owner, roomId, requestId, leastOffset));
  }

  @Override
  public CompletableFuture<List<PersonView>> people(String roomId, List<String> requestIds) {
    return read(
        partitionOf(roomId),
        () -> local.people(roomId, requestIds),
        owner -> client.people(owner, roomId, requestIds));
  }

  @Override
  public CompletableFuture<List<PersonView>> people(String requestId) {
    CompletableFuture<List<PersonView>> all = CompletableFuture.completedFuture(List.of());
    for (int partition = 0; partition < local.partitions(); partition++) {
      int asked = partition;
      CompletableFuture<List<PersonView>> there =
          read(
              asked,
              () -> local.people(asked, requestId),
              owner -> client.people(owner, asked, requestId));
      all = all.thenCombine(there, RoutedQueries::joined);
    }
    return all;
  }

  private static <T> List<T> joined(List<T> some, List<T> more) {
    List<T> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }

  private static <T> List<T> joined(List<T> some, T one) {
    return joined(some, List.of(one));
  }

  @Override
  public CompletableFuture<RoomView> room(String roomId) {
    return read(partitionOf(roomId), () -> local.room(roomId), owner -> client.room(owner, roomId));
  }

  @Override
  public CompletableFuture<WaitingSnapshot> waiting(String roomId) {
    return read(
        partitionOf(roomId), () -> local.waiting(roomId), owner -> client.waiting(owner, roomId));
  }

  @Override
  public CompletableFuture<SystemView> system() {
    SystemView here = local();
    Set<Integer> ownedHere = new HashSet<>();
    here.partitions().forEach(view -> ownedHere.add(view.partition()));
    Set<Address> others = new LinkedHashSet<>();
    routing
        .owners()
        .all()
        .forEach(
            (partition, owner) -> {
              if (!ownedHere.contains(partition)) {
                others.add(owner);
              }
            });
    CompletableFuture<List<SystemView>> all = CompletableFuture.completedFuture(List.of(here));
    for (Address other : others) {
      CompletableFuture<SystemView> there =
          client.system(other).exceptionally(failure -> NOTHING_KNOWN);
      all = all.thenCombine(there, RoutedQueries::joined);
    }
    return all.thenApply(this::together);
  }

  /** Of two views of one partition, that of the process that comes first is taken. */
  private SystemView together(List<SystemView> views) {
    Map<Integer, PartitionView> partitions = new TreeMap<>();
    List<RoomView> rooms = new ArrayList<>();
    for (SystemView view : views) {
      Set<Integer> added = new HashSet<>();
      for (PartitionView partition : view.partitions()) {
        if (partitions.putIfAbsent(partition.partition(), partition) == null) {
          added.add(partition.partition());
        }
      }
      view.rooms().stream().filter(room -> added.contains(room.partition())).forEach(rooms::add);
    }
    for (int partition = 0; partition < local.partitions(); partition++) {
      partitions.putIfAbsent(
          partition, new PartitionView(partition, PartitionStatus.UNOWNED, null, -1, 0, 0, null));
    }
    return new SystemView(List.copyOf(partitions.values()), rooms);
  }

  /** What this process owns. */
  public SystemView local() {
    return local.system(LOCAL);
  }

  private <T> CompletableFuture<T> read(
      int partition,
      Supplier<CompletableFuture<T>> here,
      Function<Address, CompletableFuture<T>> there) {
    long deadline = System.nanoTime() + local.readAtMost().toNanos();
    return routing.ask(partition, deadline, here, there);
  }
}
