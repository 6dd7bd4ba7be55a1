package dev.sluice.admission;

import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Command;
import dev.sluice.contract.Outcome.Rejected.Reason;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.query.Answer;
import dev.sluice.query.Answer.Result;
import dev.sluice.query.PersonView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/**
 * Decides who is admitted: applies the commands of one partition in log order to an {@link
 * AdmissionState}. What it does follows from the state, the command, its offset and its append time
 * alone. Used by one thread; what others read of the state is published by the time {@link #apply}
 * returns.
 *
 * <p>Each command first makes happen what is due by its time, then itself, then what it has made
 * possible. Time is machine time: append time less a skew that takes up what clocks jump, see
 * {@link MachineTime}.
 *
 * <p>Any exception is a fault of the program. It may leave the state in memory half changed, so the
 * state must be thrown away.
 */
public final class AdmissionMachine {
  /** The highest version of the rules that this program knows. */
  public static final int KNOWN_RULES = 1;

  /** While anyone has a place, time must pass at least this often, in milliseconds. */
  private static final long LIVENESS_MILLIS = 30_000;

  private final AdmissionState state;
  private final int mostChanges;

  /** How a command went, besides what it changed. */
  private record Verdict(Result result, String roomId, String requestId, String detail) {
    static final Verdict APPLIED = new Verdict(Result.DONE, null, null, null);

    static Verdict of(Command.OfPerson command, Result result) {
      return new Verdict(result, command.roomId(), command.requestId(), null);
    }
  }

  public AdmissionMachine(AdmissionState state) {
    this(state, Turn.MOST_CHANGES);
  }

  /**
   * @param mostChanges that a command makes besides its own
   */
  AdmissionMachine(AdmissionState state, int mostChanges) {
    this.state = state;
    this.mostChanges = mostChanges;
  }

  /** Applies the command at {@code offset}, appended at {@code timestamp} (ms since the epoch). */
  public Step apply(long offset, long timestamp, Command command) {
    if (command instanceof Command.Rules rules && rules.version() > KNOWN_RULES) {
      Step refused = refusal(offset);
      return refused != null ? refused : new Step.RulesTooNew(rules.version(), KNOWN_RULES);
    }
    return step(offset, timestamp, turn -> decide(turn, command));
  }

  /**
   * Applies a record that holds no command: what is due happens, and the record is rejected.
   *
   * @param roomId as far as it could be read, or null
   * @param requestId as far as it could be read, or null
   * @param detail what is wrong with it, in words
   */
  public Step applyInvalid(
      long offset, long timestamp, String roomId, String requestId, String detail) {
    return step(
        offset,
        timestamp,
        turn -> {
          turn.reject(roomId, requestId, Reason.INVALID, detail);
          return new Verdict(Result.INVALID, null, null, detail);
        });
  }

  /**
   * How long after the last applied record's append time a tick is wanted if nothing else comes, in
   * milliseconds: 0 for at once, {@link Long#MAX_VALUE} for never. Measure it from when that record
   * was seen, by a clock that isn't set, rather than against the brokers' time of day.
   */
  public long dueInMillis() {
    long time = state.record().time();
    long due = state.agenda().due();
    long oldest = state.ended().oldestEndedAt();
    if (oldest != EndedPeople.NONE) {
      due = Math.min(due, oldest + state.settings().keepEnded());
    }
    if (state.living() > 0) {
      due = Math.min(due, time + LIVENESS_MILLIS);
    }
    return due == Room.NEVER ? Long.MAX_VALUE : Math.max(0, due - time);
  }

  private Step step(long offset, long timestamp, Function<Turn, Verdict> command) {
    Step refused = refusal(offset);
    if (refused != null) {
      return refused;
    }
    PartitionRecord before = state.record();
    MachineTime time = MachineTime.at(timestamp, before, state.living() > 0);
    Receipt receipt = new Receipt(state.partition(), offset, timestamp);
    Turn turn = new Turn(state, receipt, before.time(), time.skew(), mostChanges);
    turn.advanceTo(time.now());
    Verdict verdict = command.apply(turn);
    turn.advanceTo(time.now());
    PartitionRecord during = state.record();
    state.setRecord(
        new PartitionRecord(
            offset, time.now(), time.skew(), during.rulesVersion(), during.configured()));
    turn.publish();
    state.publish();
    return new Step.Applied(List.copyOf(turn.outcomes()), answer(offset, verdict));
  }

  private Step refusal(long offset) {
    long expected = state.record().appliedOffset() + 1;
    if (offset == expected) {
      return null;
    }
    return offset < expected ? new Step.Skipped() : new Step.Gap(expected, offset);
  }

  private Verdict decide(Turn turn, Command command) {
    if (command instanceof Command.Enter enter) {
      return enter(turn, enter);
    }
    if (command instanceof Command.OfPlace place && isOfAnother(turn, place)) {
      return reject(turn, place, Reason.NOT_YOURS, "this person belongs to another session");
    }
    if (command instanceof Command.Leave leave) {
      return leave(turn, leave);
    }
    if (command instanceof Command.Heartbeat heartbeat) {
      return heartbeat(turn, heartbeat);
    }
    if (command instanceof Command.Complete complete) {
      return complete(turn, complete);
    }
    if (command instanceof Command.Configure configure) {
      return configure(turn, configure);
    }
    if (command instanceof Command.Rules rules) {
      return rules(rules);
    }
    return Verdict.APPLIED;
  }

  private Verdict enter(Turn turn, Command.Enter enter) {
    Room room = state.room(enter.roomId());
    Person live = turn.findLive(room, enter.requestId());
    if (live != null) {
      return live.session().equals(enter.session())
          ? Verdict.of(enter, Result.DONE)
          : reject(turn, enter, Reason.NOT_YOURS, "this person belongs to another session");
    }
    Person ended = turn.findEnded(room, enter.requestId());
    if (ended != null && !ended.session().equals(enter.session())) {
      return reject(turn, enter, Reason.NOT_YOURS, "this person belonged to another session");
    }
    RoomSettings settings = room == null ? state.settings().of(enter.roomId()) : room.settings();
    switch (settings.state()) {
      case CLOSED -> {
        return reject(turn, enter, Reason.ROOM_CLOSED, "the room is closed");
      }
      case DRAINING -> {
        return reject(turn, enter, Reason.ROOM_DRAINING, "the room takes nobody new");
      }
      case OPEN, PAUSED -> {}
    }
    if (room != null && room.placesOf(enter.session()) >= settings.maxPerSession()) {
      return reject(
          turn,
          enter,
          Reason.TOO_MANY_PLACES,
          "this session holds %d places in the room, as many as it may"
              .formatted(room.placesOf(enter.session())));
    }
    turn.enter(state.openRoom(enter.roomId()), enter.requestId(), enter.session());
    return Verdict.of(enter, Result.DONE);
  }

  private boolean isOfAnother(Turn turn, Command.OfPlace place) {
    if (place.session() == null) {
      return false;
    }
    Person live = turn.findLive(state.room(place.roomId()), place.requestId());
    return live != null && !live.session().equals(place.session());
  }

  private Verdict leave(Turn turn, Command.Leave leave) {
    Room room = state.room(leave.roomId());
    Person live = turn.findLive(room, leave.requestId());
    if (live == null) {
      Person ended = turn.findEnded(room, leave.requestId());
      return ofEnded(leave, ended, ended != null && ended.ticket() == leave.ticket());
    }
    if (live.ticket() != leave.ticket()) {
      return Verdict.of(leave, Result.NOT_THAT_PLACE);
    }
    turn.end(room, live, PersonStatus.LEFT, null);
    return Verdict.of(leave, Result.DONE);
  }

  private Verdict heartbeat(Turn turn, Command.Heartbeat heartbeat) {
    Room room = state.room(heartbeat.roomId());
    Person live = turn.findLive(room, heartbeat.requestId());
    if (live == null) {
      Person ended = turn.findEnded(room, heartbeat.requestId());
      return ofEnded(heartbeat, ended, false);
    }
    if (live.ticket() != heartbeat.ticket()) {
      return Verdict.of(heartbeat, Result.NOT_THAT_PLACE);
    }
    if (live.isActive()) {
      turn.renew(room, live);
    }
    return Verdict.of(heartbeat, Result.DONE);
  }

  private Verdict complete(Turn turn, Command.Complete complete) {
    Room room = state.room(complete.roomId());
    Person live = turn.findLive(room, complete.requestId());
    if (live == null) {
      Person ended = turn.findEnded(room, complete.requestId());
      boolean already =
          ended != null
              && ended.ticket() == complete.ticket()
              && ended.status() == PersonStatus.COMPLETED;
      return ofEnded(complete, ended, already);
    }
    if (live.ticket() != complete.ticket() || !live.isActive()) {
      return Verdict.of(complete, Result.NOT_THAT_PLACE);
    }
    turn.end(room, live, PersonStatus.COMPLETED, null);
    return Verdict.of(complete, Result.DONE);
  }

  private Verdict configure(Turn turn, Command.Configure configure) {
    List<AcceptedSetting> taken = new ArrayList<>();
    AdmissionSettings settings = state.settings().with(configure.settings(), taken::add);
    PartitionRecord before = state.record();
    if (taken.isEmpty() && before.configured()) {
      return Verdict.APPLIED;
    }
    state.configure(settings, taken);
    state.setRecord(before.asConfigured());
    state.rooms().stream().sorted(Comparator.comparing(Room::id)).forEach(turn::configure);
    return Verdict.APPLIED;
  }

  private Verdict rules(Command.Rules rules) {
    state.setRecord(state.record().withRulesAtLeast(rules.version()));
    return Verdict.APPLIED;
  }

  private static Verdict ofEnded(Command.OfPerson command, Person ended, boolean isAsAsked) {
    if (ended == null) {
      return new Verdict(Result.UNKNOWN_PERSON, null, null, null);
    }
    return Verdict.of(command, isAsAsked ? Result.DONE : Result.NOT_THAT_PLACE);
  }

  private static Verdict reject(Turn turn, Command.OfPerson command, Reason reason, String detail) {
    turn.reject(command.roomId(), command.requestId(), reason, detail);
    return new Verdict(Result.valueOf(reason.name()), null, null, detail);
  }

  private Answer answer(long offset, Verdict verdict) {
    PersonView person =
        verdict.requestId() == null ? null : person(verdict.roomId(), verdict.requestId());
    return new Answer(state.partition(), offset, verdict.result(), person, verdict.detail());
  }

  private PersonView person(String roomId, String requestId) {
    Room room = state.room(roomId);
    Person live = room.find(requestId);
    Person person = live != null ? live : state.ended().find(roomId, requestId);
    return room.snapshot().view(person, state.record().skew(), state.record().time());
  }
}
