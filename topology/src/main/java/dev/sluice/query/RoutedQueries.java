package dev.sluice.query;

import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.query.SystemView.PartitionView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Queries that go to whoever owns the partition: a call in this process when it is the owner, and
 * asked again, for as long as the caller may wait, while the partition moves. Thread-safe.
 */
public final class RoutedQueries implements AdmissionQueries {
  private static final long FIRST_PAUSE_MILLIS = 10;
  private static final long LONGEST_PAUSE_MILLIS = 160;
  private static final String LOCAL = "local";

  private final LocalQueries local;

  public RoutedQueries(LocalQueries local) {
    this.local = local;
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
        () ->
            local.await(
                partition, offset, Duration.ofNanos(Math.max(0, deadline - System.nanoTime()))));
  }

  @Override
  public CompletableFuture<Optional<PersonView>> person(
      String roomId, String requestId, long leastOffset) {
    return read(() -> local.person(roomId, requestId, leastOffset));
  }

  @Override
  public CompletableFuture<List<PersonView>> people(String requestId) {
    CompletableFuture<List<PersonView>> all = CompletableFuture.completedFuture(List.of());
    for (int partition = 0; partition < local.partitions(); partition++) {
      int asked = partition;
      all = all.thenCombine(read(() -> local.people(asked, requestId)), RoutedQueries::joined);
    }
    return all;
  }

  private static List<PersonView> joined(List<PersonView> some, List<PersonView> more) {
    List<PersonView> all = new ArrayList<>(some);
    all.addAll(more);
    return all;
  }

  @Override
  public CompletableFuture<RoomView> room(String roomId) {
    return read(() -> local.room(roomId));
  }

  @Override
  public CompletableFuture<WaitingSnapshot> waiting(String roomId) {
    return read(() -> local.waiting(roomId));
  }

  @Override
  public CompletableFuture<SystemView> system() {
    SystemView here = local();
    List<PartitionView> partitions = new ArrayList<>(here.partitions());
    Set<Integer> known = new HashSet<>();
    partitions.forEach(view -> known.add(view.partition()));
    for (int partition = 0; partition < local.partitions(); partition++) {
      if (!known.contains(partition)) {
        partitions.add(
            partition, new PartitionView(partition, PartitionStatus.UNOWNED, null, -1, 0, 0, null));
      }
    }
    return CompletableFuture.completedFuture(new SystemView(partitions, here.rooms()));
  }

  /** What this process owns. */
  public SystemView local() {
    return local.system(LOCAL);
  }

  private <T> CompletableFuture<T> read(Supplier<CompletableFuture<T>> ask) {
    return untilOwned(System.nanoTime() + local.readAtMost().toNanos(), ask);
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

  private static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }
}
