package dev.sluice.admission;

import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Command;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.RoomState;
import dev.sluice.contract.Version;
import dev.sluice.query.Answer.Result;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the machine must decide, written down a second time without any cleverness: everyone in one
 * list, searched from the start each time.
 */
final class NaiveAdmission {
  /** One stay of one person. */
  static final class Stay {
    String room;
    String who;
    String session;
    PersonStatus status;
    long ticket;
    long expiresAt;
    long hardEnd;
    long endedAt;
    boolean doomed;
    String reason;
    Receipt receipt;
    Version version;

    boolean isLive() {
      return status.isLive();
    }
  }

  private static final class Door {
    long nextTicket = 1;
    long paceNext;
    long progressAt;
    boolean progressOwed;
    long pace;
    RoomState state;
    long capacity;
  }

  private final int partition;
  private final int mostChanges;
  private final List<Stay> live = new ArrayList<>();
  private final List<Stay> ended = new ArrayList<>();
  private final Map<String, Door> doors = new TreeMap<>();
  private final Map<String, AcceptedSetting> settings = new HashMap<>();
  private boolean configured;
  private long time;
  private long skew;

  // Of the command being applied.
  private long now;
  private int left;
  private int index;
  private Receipt receipt;
  private List<Outcome> outcomes;

  NaiveAdmission(int partition, int mostChanges) {
    this.partition = partition;
    this.mostChanges = mostChanges;
  }

  record Done(List<Outcome> outcomes, Result result) {}

  Done apply(long offset, long timestamp, Command command) {
    receipt = new Receipt(partition, offset, timestamp);
    outcomes = new ArrayList<>();
    index = 0;
    left = mostChanges;
    now = time;
    long target = passTime(timestamp);
    everythingUntil(target);
    Result result = command == null ? invalid() : decide(command);
    everythingUntil(target);
    time = target;
    return new Done(outcomes, result);
  }

  private long passTime(long timestamp) {
    long target = timestamp - skew;
    boolean jumpedBack = target < time - 60_000;
    boolean jumpedAhead = target > time + 60_000 && !live.isEmpty();
    if (jumpedBack || jumpedAhead) {
      skew = timestamp - time;
      return time;
    }
    return Math.max(target, time);
  }

  private void everythingUntil(long target) {
    timed(target);
    now = target;
    while (left > 0) {
      Stay doomed =
          live.stream()
              .filter(stay -> stay.doomed)
              .min(Comparator.<Stay, String>comparing(s -> s.room).thenComparingLong(s -> s.ticket))
              .orElse(null);
      if (doomed == null) {
        break;
      }
      left--;
      end(doomed, PersonStatus.EXPIRED, "CLOSED");
    }
    timed(target);
    while (left > 0 && !ended.isEmpty() && isForgettable(ended.get(0))) {
      left--;
      ended.remove(0);
    }
  }

  private boolean isForgettable(Stay stay) {
    return stay.endedAt + millis("admission.keep-ended", null, 3_600_000) <= now;
  }

  private void timed(long target) {
    while (left > 0) {
      String room = null;
      for (String candidate : doors.keySet()) {
        if (room == null || due(candidate) < due(room)) {
          room = candidate;
        }
      }
      if (room == null || due(room) > target) {
        return;
      }
      left--;
      now = Math.max(now, due(room));
      next(room);
    }
  }

  private void next(String room) {
    Door door = doors.get(room);
    Stay overdue = firstToExpire(room);
    if (overdue != null && overdue.expiresAt <= now) {
      expire(overdue);
    } else if (admissionDue(room) <= now) {
      admit(headOf(room));
    } else {
      door.progressAt = now;
      door.progressOwed = false;
      outcomes.add(
          new Outcome.Progress(
              room,
              (int) waiting(room).count(),
              (int) active(room).count(),
              (int) door.capacity,
              door.state,
              version(),
              now + skew));
    }
  }

  long dueInMillis() {
    long due = Long.MAX_VALUE;
    for (String room : doors.keySet()) {
      due = Math.min(due, due(room));
    }
    if (live.stream().anyMatch(stay -> stay.doomed)) {
      due = 0;
    }
    if (!ended.isEmpty()) {
      due = Math.min(due, ended.get(0).endedAt + millis("admission.keep-ended", null, 3_600_000));
    }
    if (!live.isEmpty()) {
      due = Math.min(due, time + 30_000);
    }
    return due == Long.MAX_VALUE ? due : Math.max(0, due - time);
  }

  private long due(String room) {
    Stay first = firstToExpire(room);
    Door door = doors.get(room);
    long progress = door.progressOwed ? door.progressAt + 1_000 : Long.MAX_VALUE;
    long expiry = first == null ? Long.MAX_VALUE : first.expiresAt;
    return Math.min(expiry, Math.min(admissionDue(room), progress));
  }

  private long admissionDue(String room) {
    Door door = doors.get(room);
    boolean open = door.state == RoomState.OPEN || door.state == RoomState.DRAINING;
    if (!configured
        || !open
        || active(room).count() >= door.capacity
        || headOf(room) == null
        || waiting(room).anyMatch(stay -> stay.doomed)) {
      return Long.MAX_VALUE;
    }
    long millis = door.paceNext / 1_000;
    return millis * 1_000 == door.paceNext ? millis : millis + 1;
  }

  private void admit(Stay stay) {
    Door door = doors.get(stay.room);
    stay.status = PersonStatus.ADMITTED;
    stay.hardEnd = now + millis("admission.max-session", stay.room, 600_000);
    stay.expiresAt =
        Math.min(stay.hardEnd, now + millis("admission.session-timeout", stay.room, 30_000));
    if (now * 1_000 - door.paceNext >= 1_000) {
      door.paceNext = now * 1_000;
    }
    door.paceNext += door.pace;
    tell(stay);
  }

  private void expire(Stay stay) {
    end(stay, PersonStatus.EXPIRED, stay.expiresAt >= stay.hardEnd ? "MAX_SESSION" : "TIMEOUT");
  }

  private void end(Stay stay, PersonStatus how, String reason) {
    stay.status = how;
    stay.reason = reason;
    stay.endedAt = now;
    stay.doomed = false;
    live.remove(stay);
    ended.add(stay);
    tell(stay);
  }

  private void tell(Stay stay) {
    stay.version = version();
    doors.get(stay.room).progressOwed = true;
    outcomes.add(
        new Outcome.PersonChanged(
            stay.room,
            stay.who,
            stay.session,
            stay.status,
            stay.ticket,
            stay.status == PersonStatus.ADMITTED ? stay.expiresAt + skew : 0,
            stay.reason,
            stay.receipt,
            stay.version,
            now + skew));
  }

  private Result decide(Command command) {
    if (command instanceof Command.Enter enter) {
      return enter(enter);
    }
    if (command instanceof Command.Configure configure) {
      configure(configure);
    }
    if (command instanceof Command.OfPlace place && place.session() != null) {
      Stay stay = liveAndNotOver(place);
      if (stay != null && !stay.session.equals(place.session())) {
        return rejected(place, Outcome.Rejected.Reason.NOT_YOURS);
      }
    }
    if (command instanceof Command.Leave leave) {
      Stay stay = liveAndNotOver(leave);
      if (stay == null) {
        Stay past = remembered(leave);
        return past == null
            ? Result.UNKNOWN_PERSON
            : past.ticket == leave.ticket() ? Result.DONE : Result.NOT_THAT_PLACE;
      }
      if (stay.ticket != leave.ticket()) {
        return Result.NOT_THAT_PLACE;
      }
      end(stay, PersonStatus.LEFT, null);
    }
    if (command instanceof Command.Heartbeat heartbeat) {
      Stay stay = liveAndNotOver(heartbeat);
      if (stay == null) {
        return remembered(heartbeat) == null ? Result.UNKNOWN_PERSON : Result.NOT_THAT_PLACE;
      }
      if (stay.ticket != heartbeat.ticket()) {
        return Result.NOT_THAT_PLACE;
      }
      if (stay.status == PersonStatus.ADMITTED) {
        long until = now + millis("admission.session-timeout", stay.room, 30_000);
        stay.expiresAt = Math.max(stay.expiresAt, Math.min(until, stay.hardEnd));
        stay.version = version();
      }
    }
    if (command instanceof Command.Complete complete) {
      Stay stay = liveAndNotOver(complete);
      if (stay == null) {
        Stay past = remembered(complete);
        if (past == null) {
          return Result.UNKNOWN_PERSON;
        }
        boolean same = past.ticket == complete.ticket() && past.status == PersonStatus.COMPLETED;
        return same ? Result.DONE : Result.NOT_THAT_PLACE;
      }
      if (stay.ticket != complete.ticket() || stay.status != PersonStatus.ADMITTED) {
        return Result.NOT_THAT_PLACE;
      }
      end(stay, PersonStatus.COMPLETED, null);
    }
    return Result.DONE;
  }

  private Result enter(Command.Enter enter) {
    Stay present = liveAndNotOver(enter);
    if (present != null) {
      return present.session.equals(enter.session())
          ? Result.DONE
          : rejected(enter, Outcome.Rejected.Reason.NOT_YOURS);
    }
    Stay past = remembered(enter);
    if (past != null && !past.session.equals(enter.session())) {
      return rejected(enter, Outcome.Rejected.Reason.NOT_YOURS);
    }
    RoomState state = state(enter.roomId());
    if (state == RoomState.CLOSED) {
      return rejected(enter, Outcome.Rejected.Reason.ROOM_CLOSED);
    }
    if (state == RoomState.DRAINING) {
      return rejected(enter, Outcome.Rejected.Reason.ROOM_DRAINING);
    }
    long places =
        live.stream()
            .filter(s -> s.room.equals(enter.roomId()) && s.session.equals(enter.session()))
            .count();
    if (places >= number("admission.max-per-session", enter.roomId(), 5)) {
      return rejected(enter, Outcome.Rejected.Reason.TOO_MANY_PLACES);
    }
    if (!doors.containsKey(enter.roomId())) {
      doors.put(enter.roomId(), new Door());
      readSettings(enter.roomId());
    }
    Stay stay = new Stay();
    stay.room = enter.roomId();
    stay.who = enter.requestId();
    stay.session = enter.session();
    stay.status = PersonStatus.WAITING;
    stay.ticket = doors.get(enter.roomId()).nextTicket++;
    stay.receipt = receipt;
    live.add(stay);
    tell(stay);
    return Result.DONE;
  }

  private Result rejected(Command.OfPerson command, Outcome.Rejected.Reason reason) {
    outcomes.add(
        new Outcome.Rejected(
            command.roomId(), command.requestId(), reason, null, version(), now + skew));
    return Result.valueOf(reason.name());
  }

  private Result invalid() {
    outcomes.add(
        new Outcome.Rejected(
            null, null, Outcome.Rejected.Reason.INVALID, null, version(), now + skew));
    return Result.INVALID;
  }

  private Stay liveAndNotOver(Command.OfPerson command) {
    Stay stay = livingStay(command.roomId(), command.requestId());
    if (stay != null && stay.doomed) {
      end(stay, PersonStatus.EXPIRED, "CLOSED");
      return null;
    }
    if (stay != null && stay.status == PersonStatus.ADMITTED && stay.expiresAt <= now) {
      expire(stay);
      return null;
    }
    return stay;
  }

  private Stay remembered(Command.OfPerson command) {
    Stay past = endedStay(command.roomId(), command.requestId());
    return past == null || isForgettable(past) ? null : past;
  }

  Stay find(String room, String who) {
    Stay stay = livingStay(room, who);
    return stay != null ? stay : endedStay(room, who);
  }

  private Stay livingStay(String room, String who) {
    return live.stream()
        .filter(stay -> stay.room.equals(room) && stay.who.equals(who))
        .findFirst()
        .orElse(null);
  }

  private Stay endedStay(String room, String who) {
    return ended.stream()
        .filter(stay -> stay.room.equals(room) && stay.who.equals(who))
        .reduce((first, second) -> second)
        .orElse(null);
  }

  private void configure(Command.Configure configure) {
    configured = true;
    for (AcceptedSetting setting : configure.settings()) {
      String address = setting.key() + "@" + setting.roomId();
      AcceptedSetting before = settings.get(address);
      if (before == null || before.offset() < setting.offset()) {
        settings.put(address, setting);
      }
    }
    doors.keySet().forEach(this::readSettings);
  }

  private void readSettings(String room) {
    Door door = doors.get(room);
    RoomState state = state(room);
    long pace = pace(room);
    long capacity = number("admission.capacity", room, 200);
    boolean isNew = door.state == null;
    if (!isNew && pace != door.pace) {
      door.paceNext = Math.min(door.paceNext, now * 1_000 + pace);
    }
    if (!isNew && state == RoomState.CLOSED && door.state != RoomState.CLOSED) {
      waiting(room).forEach(stay -> stay.doomed = true);
    }
    boolean shows = state != door.state || capacity != door.capacity;
    if (!isNew && shows && inRoom(room, stay -> true).findAny().isPresent()) {
      door.progressOwed = true;
    }
    door.state = state;
    door.pace = pace;
    door.capacity = capacity;
  }

  private RoomState state(String room) {
    String value = value("admission.state", room);
    return value == null ? RoomState.OPEN : RoomState.valueOf(value);
  }

  /** Microseconds from one admission to the next. */
  private long pace(String room) {
    String value = value("admission.pace", room);
    if (value == null || value.equals("unlimited")) {
      return 0;
    }
    return 1_000_000 / Long.parseLong(value.replace("/s", ""));
  }

  private long number(String key, String room, long byDefault) {
    String value = value(key, room);
    return value == null ? byDefault : Long.parseLong(value);
  }

  private long millis(String key, String room, long byDefault) {
    String value = value(key, room);
    return value == null ? byDefault : 1_000 * Long.parseLong(value.replace("s", ""));
  }

  /** Without quotes; null if neither the room nor all have one. */
  private String value(String key, String room) {
    for (String scope : room == null ? List.of("null") : List.of(room, "null")) {
      AcceptedSetting setting = settings.get(key + "@" + scope);
      if (setting != null && setting.value() != null) {
        return setting.value().replace("\"", "");
      }
    }
    return null;
  }

  long capacityOf(String room) {
    return number("admission.capacity", room, 200);
  }

  long rankOf(Stay stay) {
    return 1 + waiting(stay.room).filter(other -> other.ticket < stay.ticket).count();
  }

  Stream<Stay> waiting(String room) {
    return inRoom(room, stay -> stay.status == PersonStatus.WAITING);
  }

  Stream<Stay> active(String room) {
    return inRoom(room, stay -> stay.status == PersonStatus.ADMITTED);
  }

  long skew() {
    return skew;
  }

  private Stay headOf(String room) {
    return waiting(room).min(Comparator.comparingLong(stay -> stay.ticket)).orElse(null);
  }

  private Stay firstToExpire(String room) {
    return active(room)
        .min(Comparator.<Stay>comparingLong(s -> s.expiresAt).thenComparingLong(s -> s.ticket))
        .orElse(null);
  }

  private Stream<Stay> inRoom(String room, Predicate<Stay> which) {
    return live.stream().filter(stay -> stay.room.equals(room)).filter(which);
  }

  private Version version() {
    return new Version(partition, receipt.offset(), index++);
  }
}
