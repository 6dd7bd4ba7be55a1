package dev.sluice.admission;

import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.RoomState;
import dev.sluice.query.PersonView;
import dev.sluice.query.RoomView;

/**
 * A room as it was after a command: what readers see. Immutable.
 *
 * @param offset of the last command that changed the room
 */
record RoomSnapshot(
    long offset,
    RankIndex waiting,
    int active,
    long nextTicket,
    RoomSettings settings,
    Flow admitted,
    Flow outflow) {

  /** A room without anyone in it. */
  static RoomSnapshot empty(RoomSettings settings, long nextTicket) {
    return new RoomSnapshot(-1, RankIndex.empty(), 0, nextTicket, settings, Flow.NONE, Flow.NONE);
  }

  boolean isOccupied() {
    return active > 0 || !waiting.isEmpty();
  }

  /** The room as {@code partition} and {@code now} (machine time) show it. */
  RoomView view(String roomId, int number, PartitionSnapshot partition, long now) {
    return new RoomView(
        roomId,
        number,
        Math.max(offset, partition.appliedOffset()),
        partition.configured(),
        settings.state(),
        settings.capacity(),
        settings.pace().perSecond(),
        waiting.size(),
        active,
        nextTicket,
        admitted.lastMinute(now));
  }

  /** People leaving the head of the line in a minute; unknown while nobody can be admitted. */
  double outflowPerMinute(long now) {
    boolean admits = settings.capacity() > 0 && settings.state() != RoomState.PAUSED;
    return admits ? outflow.perMinute(now) : Flow.UNKNOWN;
  }

  /** Someone of this room at {@code now} (machine time), {@code skew} behind append times. */
  PersonView view(Person person, long skew, long now) {
    boolean waits = person.isWaiting();
    long rank = waits ? waiting.rank(person.ticket()) : 0;
    return new PersonView(
        person.roomId(),
        person.requestId(),
        person.session(),
        person.status(),
        person.ticket(),
        rank,
        waiting.size(),
        waits ? secondsUntil(rank, now) : -1,
        person.status() == PersonStatus.ADMITTED ? person.expiresAt() + skew : 0,
        person.reason(),
        person.receipt(),
        person.version());
  }

  private long secondsUntil(long rank, long now) {
    double perMinute = outflowPerMinute(now);
    return perMinute == Flow.UNKNOWN ? -1 : (long) Math.ceil(60.0 * rank / perMinute);
  }
}
