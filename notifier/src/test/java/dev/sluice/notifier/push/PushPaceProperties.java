package dev.sluice.notifier.push;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.notifier.push.PacedRoom.Push;
import dev.sluice.settings.HotMode;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What holds of any room, whatever is said in it and however it turns. */
class PushPaceProperties {
  private static final long INTERVAL = 1_000;

  /**
   * What happens next.
   *
   * @param pause milliseconds before it
   */
  record Step(long pause, What what, double chance) {}

  enum What {
    SAY,
    TURN
  }

  @Property
  void atAnIntervalNoTwoPushesAreCloserWhereTheRoomWasHotAtEither(
      @ForAll("steps") List<Step> steps) {
    List<Push> pushes = run(steps, HotMode.INTERVAL, 0).pushes();

    for (int i = 1; i < pushes.size(); i++) {
      Push one = pushes.get(i - 1);
      Push next = pushes.get(i);
      if (one.hot() || next.hot()) {
        assertThat(next.at() - one.at())
            .as("%s and %s", one, next)
            .isGreaterThanOrEqualTo(INTERVAL);
      }
    }
  }

  @Property
  void whatWasLastIsToldWithinAnInterval(@ForAll("steps") List<Step> steps, @ForAll HotMode mode) {
    PacedRoom room = run(steps, mode, 0.2);
    room.pass(INTERVAL);

    assertThat(room.owesNothing()).isTrue();
    if (!steps.isEmpty()) {
      assertThat(room.last().told()).isEqualTo(room.events().size());
      assertThat(room.last().hot()).isEqualTo(room.hot);
    }
  }

  @Property
  void aRoomThatIsNeverHotPushesJustItsEvents(
      @ForAll("steps") List<Step> steps, @ForAll HotMode mode) {
    List<Step> said = steps.stream().filter(step -> step.what() == What.SAY).toList();

    PacedRoom room = run(said, mode, 0.2);

    assertThat(room.times()).isEqualTo(room.events());
  }

  @Property
  void byChanceAHotRoomPushesWhatWasDrawnAndWhatSilenceFollows(
      @ForAll("steps") List<Step> steps, @ForAll("probabilities") double probability) {
    List<Step> said = steps.stream().filter(step -> step.what() == What.SAY).toList();
    PacedRoom room = new PacedRoom();
    room.hot = true;
    room.mode = HotMode.PROBABILITY;
    room.probability = probability;

    run(room, said);
    room.pass(INTERVAL);

    List<Long> events = room.events();
    int expected = 0;
    for (int i = 0; i < said.size(); i++) {
      boolean drawn = said.get(i).chance() < probability;
      boolean silence = i == said.size() - 1 || events.get(i + 1) - events.get(i) >= INTERVAL;
      expected += drawn || silence ? 1 : 0;
    }
    assertThat(room.pushes()).hasSize(expected);
  }

  private static PacedRoom run(List<Step> steps, HotMode mode, double probability) {
    PacedRoom room = new PacedRoom();
    room.mode = mode;
    room.probability = probability;
    run(room, steps);
    return room;
  }

  private static void run(PacedRoom room, List<Step> steps) {
    room.interval = INTERVAL;
    for (Step step : steps) {
      room.pass(step.pause());
      if (step.what() == What.SAY) {
        room.say(step.chance());
      } else {
        room.turn();
      }
    }
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Long> pauses =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 50),
            Arbitraries.longs().between(0, 2 * INTERVAL),
            Arbitraries.of(INTERVAL - 1, INTERVAL, INTERVAL + 1));
    Arbitrary<What> what = Arbitraries.of(What.SAY, What.SAY, What.SAY, What.TURN);
    Arbitrary<Double> chances = Arbitraries.doubles().between(0, 0.99);
    return Combinators.combine(pauses, what, chances).as(Step::new).list().ofMaxSize(60);
  }

  @Provide
  Arbitrary<Double> probabilities() {
    return Arbitraries.of(0.0, 0.02, 0.5, 1.0);
  }
}
