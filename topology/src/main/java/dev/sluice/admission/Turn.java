package dev.sluice.admission;

import dev.sluice.contract.Outcome;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Version;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The changes that one command makes, in order, each with its outcome. It holds the time at which
 * they take effect and how many more are allowed.
 */
final class Turn {
  /** Changes that a command makes at most besides its own; the others follow with the next ones. */
  static final int MOST_CHANGES = 1_000;

  private final AdmissionState state;
  private final Receipt receipt;
  private final long skew;
  private final List<Outcome> outcomes = new ArrayList<>(4);
  private final Set<Room> touched = new LinkedHashSet<>(4);
  private long now;
  private int left;
  private int nextIndex;

  /**
   * @param receipt of the command
   * @param since machine time of the last command
   * @param skew what append times are ahead of machine time
   * @param mostChanges to make besides the command's own
   */
  Turn(AdmissionState state, Receipt receipt, long since, long skew, int mostChanges) {
    this.state = state;
    this.receipt = receipt;
    this.now = since;
    this.skew = skew;
    this.left = mostChanges;
  }

  long now() {
    return now;
  }

  List<Outcome> outcomes() {
    return outcomes;
  }

  /**
   * Makes everything happen that is due until {@code time}, each at its own time, and closings;
   * then it is {@code time}. Late is only what was left over by a command that had changed enough.
   */
  void advanceTo(long time) {
    happenUntil(time);
    now = time;
    closeRooms();
    happenUntil(time);
    forgetUntil(time);
  }

  private void happenUntil(long time) {
    while (left > 0) {
      Room room = state.agenda().firstDueBy(time);
      if (room == null) {
        return;
      }
      now = Math.max(now, room.due(isConfigured()));
      left--;
      happenNext(room);
    }
  }

  /** Places are freed before they are filled, and both before progress tells of it. */
  private void happenNext(Room room) {
    if (room.expiryDue() <= now) {
      expire(room, room.nextToExpire());
    } else if (room.admissionDue(isConfigured()) <= now) {
      changed(room, room.admitHead(now, nextVersion()));
    } else {
      room.progressed(now);
      outcomes.add(
          new Outcome.Progress(
              room.id(),
              room.waitingCount(),
              room.activeCount(),
              room.settings().capacity(),
              room.settings().state(),
              nextVersion(),
              now + skew));
      touch(room);
    }
  }

  private void closeRooms() {
    while (left > 0) {
      Room room = state.agenda().firstClosing();
      if (room == null) {
        return;
      }
      left--;
      end(room, room.head(), PersonStatus.EXPIRED, "CLOSED");
    }
  }

  private void forgetUntil(long time) {
    while (left > 0 && isForgotten(state.ended().oldestEndedAt(), time)) {
      left--;
      String roomId = state.ended().forgetOldest();
      if (!state.ended().hasAnyOf(roomId)) {
        state.changed(state.room(roomId));
      }
    }
  }

  private boolean isForgotten(long endedAt, long time) {
    return endedAt != EndedPeople.NONE && endedAt + state.settings().keepEnded() <= time;
  }

  /** The live person of that name; one whose place is over, but not yet ended, is ended first. */
  Person findLive(Room room, String requestId) {
    Person person = room == null ? null : room.find(requestId);
    if (person == null) {
      return null;
    }
    if (person.isActive() && person.expiresAt() <= now) {
      expire(room, person);
      return null;
    }
    if (room.isClosedTo(person)) {
      end(room, person, PersonStatus.EXPIRED, "CLOSED");
      return null;
    }
    return person;
  }

  /** The ended person of that name, if still remembered; else null. */
  Person findEnded(Room room, String requestId) {
    Person ended = room == null ? null : state.ended().find(room.id(), requestId);
    return ended == null || isForgotten(ended.endedAt(), now) ? null : ended;
  }

  void enter(Room room, String requestId, String session) {
    state.addLiving(1);
    changed(room, room.enter(requestId, session, receipt, nextVersion()));
  }

  void renew(Room room, Person person) {
    room.renew(person, now, nextVersion());
    touch(room);
  }

  void end(Room room, Person person, PersonStatus how, String why) {
    state.addLiving(-1);
    changed(room, room.end(person, how, why, now, nextVersion(), state.ended()));
  }

  void reject(String roomId, String requestId, Outcome.Rejected.Reason reason, String detail) {
    outcomes.add(
        new Outcome.Rejected(roomId, requestId, reason, detail, nextVersion(), now + skew));
  }

  /** Brings the settings of the partition into force in a room. */
  void configure(Room room) {
    room.configure(state.settings().of(room.id()), now);
    touch(room);
  }

  /** Shows readers the rooms that changed. */
  void publish() {
    touched.forEach(room -> room.publish(receipt.offset()));
  }

  private void expire(Room room, Person person) {
    boolean atMost = person.expiresAt() >= person.hardEnd();
    end(room, person, PersonStatus.EXPIRED, atMost ? "MAX_SESSION" : "TIMEOUT");
  }

  private void changed(Room room, Person person) {
    outcomes.add(
        new Outcome.PersonChanged(
            person.roomId(),
            person.requestId(),
            person.session(),
            person.status(),
            person.ticket(),
            person.isActive() ? person.expiresAt() + skew : 0,
            person.reason(),
            person.receipt(),
            person.version(),
            now + skew));
    touch(room);
  }

  private void touch(Room room) {
    touched.add(room);
    state.changed(room);
  }

  private boolean isConfigured() {
    return state.record().configured();
  }

  private Version nextVersion() {
    return new Version(receipt.partition(), receipt.offset(), nextIndex++);
  }
}
