package dev.sluice.query;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads the admission state, wherever its owner is. Thread-safe. Every future completes within the
 * deadline of its kind, exceptionally with a {@link QueryException} when there is no sure answer:
 * an owner that hasn't caught up, or none, never gives an old or an empty one.
 */
public interface AdmissionQueries {
  /** No least offset: any caught-up answer will do. */
  long ANY = -1;

  /** The partition of {@code sluice.entries} that holds {@code roomId}. */
  int partitionOf(String roomId);

  /** What the command at {@code offset} did, once its owner has applied it. */
  CompletableFuture<Answer> await(int partition, long offset, Duration atMost);

  /** A person, by a state that reflects at least {@code leastOffset}; empty: unknown there. */
  CompletableFuture<Optional<PersonView>> person(String roomId, String requestId, long leastOffset);

  /**
   * Those called {@code requestIds} in a room, as far as they are known there, in one question
   * however many they are. They need not be of one and the same moment.
   */
  default CompletableFuture<List<PersonView>> people(String roomId, List<String> requestIds) {
    List<CompletableFuture<Optional<PersonView>>> all =
        requestIds.stream().map(requestId -> person(roomId, requestId, ANY)).toList();
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenApply(done -> all.stream().flatMap(person -> person.join().stream()).toList());
  }

  /**
   * Everyone called {@code requestId}, in whatever room, live or ended and not yet forgotten; for
   * callers who name no room. Asked of every partition, so it fails if any of them has no sure
   * answer.
   */
  CompletableFuture<List<PersonView>> people(String requestId);

  /** A room; one that nobody entered has its settings and nobody in it. */
  CompletableFuture<RoomView> room(String roomId);

  /** Who waits in a room and in which order, as one immutable snapshot. */
  CompletableFuture<WaitingSnapshot> waiting(String roomId);

  /** All partitions, with their rooms that have anyone in them. */
  CompletableFuture<SystemView> system();
}
