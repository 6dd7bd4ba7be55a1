package dev.sluice.query;

import dev.sluice.query.QueryException.Kind;
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
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Queries that go to whoever owns the partition: a call in this process when it is the owner, else
 * over the internal port; and asked again, for as long as the caller may wait, while the partition
 * moves. Thread-safe.
 */
public final class RoutedQueries implements AdmissionQueries {
  private static final long FIRST_PAUSE_MILLIS = 10;
  private static final long LONGEST_PAUSE_MILLIS = 160;
  private static final String LOCAL = "local";
  private static final SystemView NOTHING_KNOWN = new SystemView(List.of(), List.of());

  private final LocalQueries local;
  private final Owners owners;
  private final QueryClient client;

  /**
   * @param local for what this process owns, if anything
   * @param client asks other processes; null when there is none to ask
   */
  public RoutedQueries(LocalQueries local, Owners owners, QueryClient client) {
    this.local = local;
    this.owners = owners;
    this.client = client;
  }

  @Override
  public int partitionOf(String roomId) {
    return local.partitionOf(roomId);
  }

  @Override
  public CompletableFuture<Answer> await(int partition, long offset, Duration atMost) {
    long deadline = System.nanoTime() + atMost.toNanos();
    return untilOwned(
        deadline,
        () -> {
          Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
          return route(
              partition,
              () -> local.await(partition, offset, left),
              owner -> client.await(owner, partition, offset, left));
        });
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
    owners
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
    return untilOwned(deadline, () -> route(partition, here, there));
  }

  private <T> CompletableFuture<T> route(
      int partition,
      Supplier<CompletableFuture<T>> here,
      Function<Address, CompletableFuture<T>> there) {
    if (client == null || local.owns(partition)) {
      return here.get();
    }
    Address owner = owners.all().get(partition);
    if (owner == null) {
      owners.refresh();
      return CompletableFuture.failedFuture(
          new QueryException(Kind.MOVING, "partition " + partition + " has no known owner"));
    }
    return there
        .apply(owner)
        .whenComplete(
            (answer, failure) -> {
              if (failure != null && isMoving(failure)) {
                owners.refresh();
              }
            });
  }

  private static <T> CompletableFuture<T> untilOwned(
      long deadlineNanos, Supplier<CompletableFuture<T>> ask) {
    CompletableFuture<T> first = ask.get();
    if (first.isDone() && !first.isCompletedExceptionally()) {
      return first;
    }
    return again(first, deadlineNanos, FIRST_PAUSE_MILLIS, ask);
  }

  private static <T> CompletableFuture<T> again(
      CompletableFuture<T> asked,
      long deadlineNanos,
      long pauseMillis,
      Supplier<CompletableFuture<T>> ask) {
    return asked.exceptionallyCompose(
        failure -> {
          long next = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
          if (!isMoving(failure) || next - deadlineNanos > 0) {
            return CompletableFuture.failedFuture(cause(failure));
          }
          Executor later = CompletableFuture.delayedExecutor(pauseMillis, TimeUnit.MILLISECONDS);
          return again(
              CompletableFuture.runAsync(() -> {}, later).thenCompose(paused -> ask.get()),
              deadlineNanos,
              Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS),
              ask);
        });
  }

  private static boolean isMoving(Throwable failure) {
    return cause(failure) instanceof QueryException refused
        && (refused.kind() == Kind.MOVING || refused.kind() == Kind.UNREACHABLE);
  }

  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
