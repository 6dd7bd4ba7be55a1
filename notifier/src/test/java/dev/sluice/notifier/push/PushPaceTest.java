package dev.sluice.notifier.push;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.notifier.push.PacedRoom.Push;
import dev.sluice.settings.HotMode;
import org.junit.jupiter.api.Test;

final class PushPaceTest {
  private final PacedRoom room = new PacedRoom();

  @Test
  void aNormalRoomPushesForEveryEvent() {
    for (int i = 0; i < 5; i++) {
      room.say();
      room.pass(1);
    }

    assertThat(room.times()).containsExactly(0L, 1L, 2L, 3L, 4L);
  }

  @Test
  void fiveEventsOfAHotRoomInASecondGiveOnePushAtOnceAndOneAtTheEndWithTheLast() {
    room.hot = true;
    for (int i = 0; i < 5; i++) {
      room.say();
      room.pass(200);
    }
    room.pass(5_000);

    assertThat(room.pushes()).containsExactly(new Push(0, 1, true), new Push(1_000, 5, true));
  }

  @Test
  void oneEventOfAHotRoomGivesOnePush() {
    room.hot = true;
    room.say();
    room.pass(5_000);

    assertThat(room.times()).containsExactly(0L);
  }

  @Test
  void twoEventsBackToBackNeverGiveTwoPushesInsideAnInterval() {
    room.hot = true;
    room.say();
    room.pass(999);
    room.say();
    room.say();
    room.pass(5_000);

    assertThat(room.pushes()).containsExactly(new Push(0, 1, true), new Push(1_000, 3, true));
  }

  @Test
  void aTurnIsToldAndCountsAsAPush() {
    room.say();
    room.pass(5_000);
    room.turn();
    room.pass(100);
    room.say();
    room.pass(5_000);
    room.turn();

    assertThat(room.pushes())
        .containsExactly(
            new Push(0, 1, false),
            new Push(5_000, 1, true),
            new Push(6_000, 2, true),
            new Push(10_100, 2, false));
  }

  @Test
  void aRoomThatTurnsHotWhileItPushesEveryEventWaitsForAnIntervalFirst() {
    room.say();
    room.pass(100);
    room.turn();
    room.say();
    room.pass(5_000);

    assertThat(room.pushes()).containsExactly(new Push(0, 1, false), new Push(1_000, 2, true));
  }

  @Test
  void aRoomThatCoolsPushesEveryEventOnceTheLastIntervalIsOver() {
    room.hot = true;
    room.say();
    room.pass(100);
    room.turn();
    room.say();
    room.pass(901);
    room.say();
    room.say();

    assertThat(room.pushes())
        .containsExactly(
            new Push(0, 1, true),
            new Push(1_000, 2, false),
            new Push(1_001, 3, false),
            new Push(1_001, 4, false));
  }

  @Test
  void aShorterIntervalCountsAtOnce() {
    room.hot = true;
    room.interval = 60_000;
    room.say();
    room.say();
    room.pass(300);
    room.interval = 500;
    room.pass(5_000);

    assertThat(room.times()).containsExactly(0L, 500L);
  }

  @Test
  void byChanceEachEventIsPushedWithTheProbability() {
    room.hot = true;
    room.mode = HotMode.PROBABILITY;
    room.probability = 0.02;
    room.say(0.019);
    room.say(0.0);
    room.say(0.02);

    assertThat(room.pushes()).containsExactly(new Push(0, 1, true), new Push(0, 2, true));
  }

  @Test
  void byChanceTheLastEventIsPushedOnceTheRoomHasBeenSilentForAnInterval() {
    room.hot = true;
    room.mode = HotMode.PROBABILITY;
    for (int i = 0; i < 10; i++) {
      room.say(0.5);
      room.pass(900);
    }
    room.pass(5_000);

    assertThat(room.pushes()).containsExactly(new Push(9_100, 10, true));
  }

  @Test
  void byChanceATurnIsToldAtOnceWithWhatWasHeldBack() {
    room.hot = true;
    room.mode = HotMode.PROBABILITY;
    room.say(0.5);
    room.pass(100);
    room.turn();
    room.pass(5_000);

    assertThat(room.pushes()).containsExactly(new Push(100, 1, false));
  }

  @Test
  void aChangeOfModeLosesNothing() {
    room.hot = true;
    room.mode = HotMode.PROBABILITY;
    room.say(0.5);
    room.mode = HotMode.INTERVAL;
    room.pass(100);
    room.say();
    room.mode = HotMode.PROBABILITY;
    room.pass(5_000);

    assertThat(room.pushes()).containsExactly(new Push(0, 1, true), new Push(1_100, 2, true));
  }
}
