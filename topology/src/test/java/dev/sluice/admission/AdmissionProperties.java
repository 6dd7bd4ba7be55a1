package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Command;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.OutcomeJson;
import dev.sluice.contract.PersonStatus;
import dev.sluice.query.PersonView;
import dev.sluice.query.RoomView;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.Size;

/**
 * The invariants of admission under any log: any commands, at any times, with settings that change,
 * records that come twice, and restarts and crashes in between.
 */
class AdmissionProperties {
  private static final int PARTITION = 3;
  private static final List<String> ROOMS = List.of("a", "b", "c");
  private static final List<String> PEOPLE =
      List.of("u1", "u2", "u3", "u4", "u5", "u6", "u7", "u8", "u9");

  /** Something that happens to a partition. */
  sealed interface Event {
    /** A command is appended so much later than the one before. */
    record Append(Ask ask, String room, String who, int ticketOff, long later) implements Event {}

    /** A setting is changed; {@code news} is what its offset is ahead of the newest one. */
    record Set(String key, String room, String value, int news) implements Event {}

    /** A record so far back comes again. */
    record Again(int back) implements Event {}

    /** What has changed is kept. */
    record Keep() implements Event {}

    /** The process stops in an orderly way and starts again. */
    record Restart() implements Event {}

    /** The process is killed, starts with what was last kept, and reads the log from there. */
    record Crash() implements Event {}
  }

  /** What is appended. */
  enum Ask {
    ENTER,
    ENTER_AS_ANOTHER,
    LEAVE,
    LEAVE_AS_ONESELF,
    LEAVE_AS_ANOTHER,
    HEARTBEAT,
    COMPLETE,
    TICK,
    INVALID
  }

  @Property(tries = 250)
  void everyDecisionIsThatOfThePlainlyWrittenRules(
      @ForAll @Size(min = 20, max = 200) List<@From("events") Event> events) {
    run(events, Turn.MOST_CHANGES);
  }

  @Property(tries = 250)
  void theSameHoldsWhenOneCommandLeavesMostToTheNext(
      @ForAll @Size(min = 20, max = 200) List<@From("events") Event> events) {
    run(events, 1);
  }

  private static void run(List<Event> events, int mostChanges) {
    Trial trial = new Trial(mostChanges);
    events.forEach(trial::happen);
    trial.happen(new Event.Crash());
  }

  @Provide
  Arbitrary<Event> events() {
    Arbitrary<String> room = Arbitraries.of("a", "a", "a", "a", "b", "c");
    Arbitrary<Event> append =
        Combinators.combine(
                Arbitraries.frequency(
                    Tuple.of(10, Ask.ENTER),
                    Tuple.of(1, Ask.ENTER_AS_ANOTHER),
                    Tuple.of(1, Ask.LEAVE),
                    Tuple.of(1, Ask.LEAVE_AS_ONESELF),
                    Tuple.of(1, Ask.LEAVE_AS_ANOTHER),
                    Tuple.of(4, Ask.HEARTBEAT),
                    Tuple.of(4, Ask.COMPLETE),
                    Tuple.of(4, Ask.TICK),
                    Tuple.of(1, Ask.INVALID)),
                room,
                Arbitraries.of(PEOPLE),
                Arbitraries.frequency(Tuple.of(12, 0), Tuple.of(1, -1), Tuple.of(1, 1)),
                Arbitraries.frequencyOf(
                    Tuple.of(12, Arbitraries.longs().between(0, 400)),
                    Tuple.of(5, Arbitraries.longs().between(401, 8_000)),
                    Tuple.of(1, Arbitraries.longs().between(8_001, 45_000)),
                    Tuple.of(2, Arbitraries.longs().between(-3_000, -1)),
                    Tuple.of(1, Arbitraries.of(3_600_000L, -3_600_000L, 59_999L, 60_001L))))
            .as(Event.Append::new);
    Arbitrary<Event> set =
        Combinators.combine(
                Arbitraries.of(
                    Tuple.of("admission.capacity", "0"),
                    Tuple.of("admission.capacity", "1"),
                    Tuple.of("admission.capacity", "3"),
                    Tuple.of("admission.capacity", (String) null),
                    Tuple.of("admission.state", "\"PAUSED\""),
                    Tuple.of("admission.state", "\"CLOSED\""),
                    Tuple.of("admission.state", "\"DRAINING\""),
                    Tuple.of("admission.state", "\"OPEN\""),
                    Tuple.of("admission.state", "\"OPEN\""),
                    Tuple.of("admission.state", (String) null),
                    Tuple.of("admission.pace", "\"3/s\""),
                    Tuple.of("admission.pace", "\"1600/s\""),
                    Tuple.of("admission.pace", "\"unlimited\""),
                    Tuple.of("admission.session-timeout", "\"5s\""),
                    Tuple.of("admission.session-timeout", "\"1s\""),
                    Tuple.of("admission.max-session", "\"7s\""),
                    Tuple.of("admission.max-per-session", "2"),
                    Tuple.of("admission.keep-ended", "\"4s\""),
                    Tuple.of("hot.threshold", "1")),
                room.injectNull(0.5),
                Arbitraries.of(1, 1, 1, 0, -1))
            .as((what, where, news) -> set(what.get1(), where, what.get2(), news));
    return Arbitraries.frequencyOf(
        Tuple.of(40, append),
        Tuple.of(6, set),
        Tuple.of(2, Arbitraries.integers().between(0, 9).map(Event.Again::new)),
        Tuple.of(2, Arbitraries.just(new Event.Keep())),
        Tuple.of(2, Arbitraries.just(new Event.Restart())),
        Tuple.of(1, Arbitraries.just(new Event.Crash())));
  }

  private static Event set(String key, String room, String value, int news) {
    return new Event.Set(key, key.endsWith("keep-ended") ? null : room, value, news);
  }

  /** A record of the log, and what the machine said when it was first applied. */
  private record Logged(long timestamp, Command command, List<String> outcomes) {}

  /** A machine that goes through events, beside the plain rules and a list of what it told. */
  private static final class Trial {
    private final int mostChanges;
    private final NaiveAdmission naive;
    private final List<Logged> log = new ArrayList<>();
    private final KeptState kept = new KeptState();
    private final Map<String, Long> lastRank = new HashMap<>();
    private final Map<String, Outcome.PersonChanged> lastTold = new HashMap<>();
    private final Map<String, Long> lastAdmitted = new HashMap<>();

    private EndedInMemory ended = new EndedInMemory();
    private EndedInMemory keptEnded = new EndedInMemory();
    private AdmissionState state;
    private AdmissionMachine machine;
    private long timestamp = 1_764_417_600_000L;
    private long configOffset = 10;

    Trial(int mostChanges) {
      this.mostChanges = mostChanges;
      naive = new NaiveAdmission(PARTITION, mostChanges);
      start(new AdmissionState(PARTITION, ended, kept));
    }

    private void start(AdmissionState from) {
      state = from;
      machine = new AdmissionMachine(state, mostChanges);
    }

    void happen(Event event) {
      if (event instanceof Event.Append append) {
        timestamp += append.later();
        append(commandOf(append));
      } else if (event instanceof Event.Set set) {
        configOffset += set.news();
        append(
            new Command.Configure(
                List.of(new AcceptedSetting(set.key(), set.room(), set.value(), configOffset))));
        configOffset = Math.max(configOffset, 10);
      } else if (event instanceof Event.Again again) {
        long offset = Math.max(0, log.size() - 1 - again.back());
        if (offset < log.size()) {
          assertThat(applyTo(machine, offset)).isEqualTo(new Step.Skipped());
        }
        assertThat(machine.apply(log.size() + 1, timestamp, new Command.Tick()))
            .isEqualTo(new Step.Gap(log.size(), log.size() + 1));
      } else if (event instanceof Event.Keep) {
        keep();
      } else if (event instanceof Event.Restart) {
        keep();
        restart();
      } else {
        restart();
        for (long offset = state.appliedOffset() + 1; offset < log.size(); offset++) {
          Step.Applied again = (Step.Applied) applyTo(machine, offset);
          assertThat(written(again.outcomes())).isEqualTo(log.get((int) offset).outcomes());
        }
      }
      checkEverybody();
    }

    private void keep() {
      state.drainTo(kept);
      keptEnded = ended.copy();
    }

    private void restart() {
      ended = keptEnded.copy();
      start(kept.restore(PARTITION, ended));
    }

    private Command commandOf(Event.Append append) {
      NaiveAdmission.Stay stay = naive.find(append.room(), append.who());
      long ticket = (stay == null ? 1 : stay.ticket) + append.ticketOff();
      return switch (append.ask()) {
        case ENTER -> new Command.Enter(append.room(), append.who(), sessionOf(append.who()));
        case ENTER_AS_ANOTHER -> new Command.Enter(append.room(), append.who(), "thief");
        case LEAVE -> new Command.Leave(append.room(), append.who(), ticket);
        case LEAVE_AS_ONESELF ->
            new Command.Leave(append.room(), append.who(), ticket, sessionOf(append.who()));
        case LEAVE_AS_ANOTHER -> new Command.Leave(append.room(), append.who(), ticket, "thief");
        case HEARTBEAT -> new Command.Heartbeat(append.room(), append.who(), ticket);
        case COMPLETE -> new Command.Complete(append.room(), append.who(), ticket);
        case TICK -> new Command.Tick();
        case INVALID -> null;
      };
    }

    /** Some people share a session. */
    private static String sessionOf(String who) {
      return who.compareTo("u4") > 0 ? "family" : "session-of-" + who;
    }

    private void append(Command command) {
      Map<String, Long> capacityBefore = new HashMap<>();
      ROOMS.forEach(room -> capacityBefore.put(room, naive.capacityOf(room)));
      long offset = log.size();
      log.add(new Logged(timestamp, command, new ArrayList<>()));

      Step.Applied step = (Step.Applied) applyTo(machine, offset);
      NaiveAdmission.Done expected = naive.apply(offset, timestamp, command);

      assertThat(written(step.outcomes())).isEqualTo(written(expected.outcomes()));
      assertThat(step.answer().result()).isEqualTo(expected.result());
      assertThat(machine.dueInMillis()).isEqualTo(naive.dueInMillis());
      log.get((int) offset).outcomes().addAll(written(step.outcomes()));
      step.outcomes().forEach(outcome -> checkOutcome(outcome, capacityBefore));
      if (step.answer().person() != null) {
        PersonView answered = step.answer().person();
        assertThat(person(answered.roomId(), answered.requestId())).contains(answered);
      }
    }

    private Step applyTo(AdmissionMachine to, long offset) {
      Logged record = log.get((int) offset);
      return record.command() == null
          ? to.applyInvalid(offset, record.timestamp(), null, null, null)
          : to.apply(offset, record.timestamp(), record.command());
    }

    /** I1, I2, I3: order, one place each, and the capacity, by what was told alone. */
    private void checkOutcome(Outcome outcome, Map<String, Long> capacityBefore) {
      if (!(outcome instanceof Outcome.PersonChanged told)) {
        return;
      }
      String name = told.roomId() + "/" + told.requestId();
      Outcome.PersonChanged before = lastTold.put(name, told);
      boolean wasLive = before != null && before.status().isLive();
      if (told.status() == PersonStatus.WAITING) {
        assertThat(wasLive).as("%s enters once", name).isFalse();
        return;
      }
      assertThat(wasLive).as("%s had a place", name).isTrue();
      assertThat(before.ticket()).isEqualTo(told.ticket());
      if (told.status() == PersonStatus.ADMITTED) {
        assertThat(before.status()).isEqualTo(PersonStatus.WAITING);
        Long last = lastAdmitted.put(told.roomId(), told.ticket());
        assertThat(last == null || last < told.ticket()).as("admitted in order").isTrue();
        assertThat(toldOf(told.roomId(), PersonStatus.WAITING))
            .allMatch(other -> other.ticket() > told.ticket());
        long capacity =
            Math.max(capacityBefore.get(told.roomId()), naive.capacityOf(told.roomId()));
        assertThat(toldOf(told.roomId(), PersonStatus.ADMITTED).size())
            .isLessThanOrEqualTo((int) capacity);
      }
    }

    private List<Outcome.PersonChanged> toldOf(String room, PersonStatus status) {
      return lastTold.values().stream()
          .filter(told -> told.roomId().equals(room) && told.status() == status)
          .toList();
    }

    /** I4, I5: everybody is where they were told to be, and ranks are right and never rise. */
    private void checkEverybody() {
      for (String room : ROOMS) {
        RoomView view = new AdmissionReader(state).room(room, timestamp);
        assertThat(view.waiting()).isEqualTo(naive.waiting(room).count());
        assertThat(view.active()).isEqualTo(naive.active(room).count());
        assertThat(view.offset()).isEqualTo(log.size() - 1);
        assertThat(view.capacity()).isEqualTo((int) naive.capacityOf(room));
        for (String who : PEOPLE) {
          checkPerson(room, who);
        }
      }
    }

    private void checkPerson(String room, String who) {
      Outcome.PersonChanged told = lastTold.get(room + "/" + who);
      NaiveAdmission.Stay stay = naive.find(room, who);
      Optional<PersonView> found = person(room, who);
      if (stay == null) {
        assertThat(found).isEmpty();
        assertThat(told == null || !told.status().isLive()).isTrue();
        return;
      }
      PersonView view = found.orElseThrow();
      assertThat(view.status()).isEqualTo(told.status()).isEqualTo(stay.status);
      assertThat(view.ticket()).isEqualTo(told.ticket());
      assertThat(view.receipt()).isEqualTo(told.receipt());
      assertThat(view.session()).isEqualTo(told.session());
      assertThat(view.reason()).isEqualTo(told.reason());
      assertThat(view.version()).isEqualTo(stay.version);
      if (view.status() == PersonStatus.ADMITTED) {
        assertThat(view.expiresAt()).isEqualTo(stay.expiresAt + naive.skew());
      }
      if (view.status() == PersonStatus.WAITING) {
        String place = room + "/" + view.ticket();
        assertThat(view.rank()).isEqualTo(naive.rankOf(stay));
        Long before = lastRank.put(place, view.rank());
        assertThat(before == null || view.rank() <= before).as("rank never rises").isTrue();
      } else {
        assertThat(view.rank()).isZero();
      }
    }

    private Optional<PersonView> person(String room, String who) {
      return new AdmissionReader(state).person(room, who, timestamp);
    }

    /** As on the topic, but for words that only people read. */
    private static List<String> written(List<Outcome> outcomes) {
      return outcomes.stream()
          .map(
              outcome ->
                  outcome instanceof Outcome.Rejected r
                      ? new Outcome.Rejected(
                          r.roomId(), r.requestId(), r.reason(), null, r.version(), r.at())
                      : outcome)
          .map(outcome -> new String(OutcomeJson.write(outcome), StandardCharsets.UTF_8))
          .toList();
    }
  }
}
