package dev.sluice.query;

import java.util.List;
import java.util.Optional;

/**
 * The admission state of one partition as its owner holds it, readable from any thread. What one
 * call returns comes from one consistent state, not older than the last command published before
 * the call.
 */
public interface PartitionState {
  Optional<PersonView> person(String roomId, String requestId);

  /** Everyone called {@code requestId}, in whatever room of this partition. */
  List<PersonView> people(String requestId);

  /** A room; one that nobody entered has its settings and nobody in it. */
  RoomView room(String roomId);

  WaitingSnapshot waiting(String roomId);

  /** The rooms with anyone in them. */
  List<RoomView> rooms();

  int rulesVersion();
}
