package dev.sluice.query;

import dev.sluice.contract.Partitions;
import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.query.SystemView.PartitionView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Answers for the partitions owned by this process, in its memory. For any other it says {@link
 * Kind#MOVING}. Thread-safe.
 */
public final class LocalQueries {
  private final OwnedPartitions owned;
  private final int partitions;
  private final Duration readAtMost;
  private final LongSupplier now;

  /**
   * @param partitions of {@code sluice.entries}
   * @param readAtMost how long a read may wait for its partition to catch up
   * @param now time of day in milliseconds; only for estimates
   */
  public LocalQueries(
      OwnedPartitions owned, int partitions, Duration readAtMost, LongSupplier now) {
    this.owned = owned;
    this.partitions = partitions;
    this.readAtMost = readAtMost;
    this.now = now;
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

  boolean owns(int partition) {
    return owned.get(partition) != null;
  }

  /** As {@link AdmissionQueries#await}. */
  public CompletableFuture<Answer> await(int partition, long offset, Duration atMost) {
    return ofOwner(partition, owner -> owner.await(offset, atMost));
  }

  /** As {@link AdmissionQueries#person}. */
  public CompletableFuture<Optional<PersonView>> person(
      String roomId, String requestId, long leastOffset) {
    return ofOwner(
        partitionOf(roomId),
        owner ->
            owner.read(
                leastOffset,
                readAtMost,
                () -> owner.reader().person(roomId, requestId, now.getAsLong())));
  }

  /** As {@link AdmissionQueries#people(String, List)}. */
  public CompletableFuture<List<PersonView>> people(String roomId, List<String> requestIds) {
    return ofOwner(
        partitionOf(roomId),
        owner ->
            owner.read(
                AdmissionQueries.ANY,
                readAtMost,
                () -> {
                  long at = now.getAsLong();
                  return requestIds.stream()
                      .flatMap(requestId -> owner.reader().person(roomId, requestId, at).stream())
                      .toList();
                }));
  }

  /** Those of {@link AdmissionQueries#people(String)} who are in a partition. */
  public CompletableFuture<List<PersonView>> people(int partition, String requestId) {
    return ofOwner(
        partition,
        owner ->
            owner.read(
                AdmissionQueries.ANY,
                readAtMost,
                () -> owner.reader().people(requestId, now.getAsLong())));
  }

  /** As {@link AdmissionQueries#room}. */
  public CompletableFuture<RoomView> room(String roomId) {
    return ofOwner(
        partitionOf(roomId),
        owner ->
            owner.read(
                AdmissionQueries.ANY,
                readAtMost,
                () -> owner.reader().room(roomId, now.getAsLong())));
  }

  /** As {@link AdmissionQueries#waiting}. */
  public CompletableFuture<WaitingSnapshot> waiting(String roomId) {
    return ofOwner(
        partitionOf(roomId),
        owner ->
            owner.read(
                AdmissionQueries.ANY,
                readAtMost,
                () -> owner.reader().waiting(roomId, now.getAsLong())));
  }

  /** The partitions owned here as they stand, with the rooms of those that are ready. */
  public SystemView system(String ownerName) {
    List<PartitionView> views = new ArrayList<>();
    List<RoomView> rooms = new ArrayList<>();
    for (OwnedPartition partition : owned.all()) {
      PartitionStatus status = partition.status();
      views.add(
          new PartitionView(
              partition.partition(),
              status,
              ownerName,
              partition.applied(),
              partition.lag(),
              partition.rulesVersion(),
              partition.haltedBecause()));
      if (status == PartitionStatus.READY) {
        rooms.addAll(partition.reader().occupiedRooms(now.getAsLong()));
      }
    }
    return new SystemView(views, rooms);
  }

  private <T> CompletableFuture<T> ofOwner(
      int partition, Function<OwnedPartition, CompletableFuture<T>> ask) {
    OwnedPartition owner = owned.get(partition);
    return owner == null ? CompletableFuture.failedFuture(notHere(partition)) : ask.apply(owner);
  }

  static QueryException notHere(int partition) {
    return new QueryException(Kind.MOVING, "partition " + partition + " has no owner here now");
  }
}
