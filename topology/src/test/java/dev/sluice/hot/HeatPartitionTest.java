package dev.sluice.hot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.Audience;
import dev.sluice.contract.EventKind;
import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.RoomSum;
import dev.sluice.hot.HeatPartition.Decision;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is counted, when a room is hot, and when it cools. */
class HeatPartitionTest {
  private static final long START = 1_796_000_000_000L;
  private static final String ROOM = "lobby";

  private final List<Decision> decisions = new ArrayList<>();
  private final HotSettings settings =
      new HotSettings()
          .set(SettingKey.HOT_WINDOW, "\"1s\"")
          .set(SettingKey.HOT_THRESHOLD, "500")
          .set(SettingKey.HOT_HOLD, "\"3s\"");
  private final FakeEdge edge = new FakeEdge("edge-1");
  private HeatPartition heat = new HeatPartition(1_000, decisions::add);
  private long now = START;

  @Test
  void fourHundredASecondStaysColdForEverAndSixHundredIsHotWithinTheWindow() {
    begin();
    run(60_000, 50, at -> edge.messages(ROOM, at, 20));
    assertThat(decisions).isEmpty();

    long quickened = now;
    while (decisions.isEmpty()) {
      run(50, 50, at -> edge.messages(ROOM, at, 30));
    }
    assertThat(now - quickened).isLessThanOrEqualTo(1_000);
    assertThat(turns()).containsExactly("HOT " + ROOM);
    assertThat(decisions.get(0).verdict().because()).isEqualTo("room");
    assertThat(decisions.get(0).verdict().threshold()).isEqualTo(500);
  }

  @Test
  void aRateJustUnderTheThresholdIsNeverOver() {
    begin();
    run(30_000, 50, at -> edge.messages(ROOM, at, 25));

    assertThat(decisions).isEmpty();
    assertThat(heat.room(ROOM, now).rate()).isBetween(450L, 500L);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10})
  void theVerdictIsTheSameHoweverManySumsTellOfASecond(int producers) {
    begin();
    List<FakeEdge> edges = new ArrayList<>();
    for (int i = 0; i < producers; i++) {
      edges.add(new FakeEdge("edge-" + i));
    }
    edges.forEach(one -> one.messages(ROOM, START, 600 / producers));
    edges.forEach(one -> take(one.last(ROOM, START + 90), START + 90));

    assertThat(turns()).containsExactly("HOT " + ROOM);
    assertThat(heat.room(ROOM, START + 90).rate()).isEqualTo(600);
  }

  @Test
  void aBurstAcrossTheEdgeOfTwoSecondsIsOneBurst() {
    begin();
    edge.messages(ROOM, START + 950, 300);
    take(edge.last(ROOM, START + 990), START + 990);
    edge.messages(ROOM, START + 1_010, 300);
    take(edge.last(ROOM, START + 1_050), START + 1_050);

    assertThat(turns()).containsExactly("HOT " + ROOM);
  }

  @Test
  void aBurstASecondApartIsNotOneBurst() {
    begin();
    for (int second = 0; second < 30; second++) {
      long at = START + second * 1_000L;
      edge.messages(ROOM, at, 400);
      take(edge.last(ROOM, at + 40), at + 40);
    }

    assertThat(decisions).isEmpty();
  }

  @Test
  void aNewThresholdJudgesWithoutAnotherEvent() {
    begin();
    edge.messages(ROOM, START, 450);
    take(edge.last(ROOM, START + 60), START + 60);
    assertThat(decisions).isEmpty();

    settings.set(SettingKey.HOT_THRESHOLD, SettingScope.room(ROOM), "400");
    heat.judgeBy(settings.rules(), START + 70);

    assertThat(turns()).containsExactly("HOT " + ROOM);
    assertThat(heat.room(ROOM, START + 70).threshold())
        .isEqualTo(decisions.get(0).verdict().threshold())
        .isEqualTo(400);
  }

  @Test
  void aRoomCoolsByTheClockWhenEventsStop() {
    begin();
    edge.messages(ROOM, START, 600);
    take(edge.last(ROOM, START + 60), START + 60);

    long cooled = 0;
    for (long at = START + 100; cooled == 0 && at < START + 10_000; at += 100) {
      heat.tick(at);
      cooled = turns().contains("COOLED " + ROOM) ? at : 0;
    }
    assertThat(cooled - START).isBetween(4_000L, 4_200L);
    assertThat(heat.hot(cooled)).isEmpty();
  }

  @Test
  void aRoomThatIsHotAgainIsListedOnce() {
    begin();
    for (int round = 0; round < 3; round++) {
      long at = START + round * 10_000L;
      edge.messages(ROOM, at, 600);
      take(edge.last(ROOM, at + 60), at + 60);
      assertThat(heat.hot(at + 60)).hasSize(1);
      for (long tick = at + 100; tick < at + 9_000; tick += 100) {
        heat.tick(tick);
      }
    }
    assertThat(turns())
        .containsExactly(
            "HOT lobby", "COOLED lobby", "HOT lobby", "COOLED lobby", "HOT lobby", "COOLED lobby");
  }

  @Test
  void itStaysHotBetweenTheReleaseRatioAndTheThreshold() {
    begin();
    run(2_000, 50, at -> edge.messages(ROOM, at, 30));
    run(20_000, 50, at -> edge.messages(ROOM, at, 15));
    assertThat(turns()).containsExactly("HOT " + ROOM);

    run(5_000, 50, at -> edge.messages(ROOM, at, 10));
    assertThat(turns()).containsExactly("HOT " + ROOM, "COOLED " + ROOM);
  }

  @Test
  void producersWhoseClocksAreHoursAwayCountLikeAllOthers() {
    begin();
    FakeEdge early = new FakeEdge("early", 3_600_000);
    FakeEdge late = new FakeEdge("late", -3_600_000 - 370);
    run(
        1_500,
        50,
        at -> {
          early.messages("early", at, 30);
          late.messages("late", at, 30);
          edge.messages(ROOM, at, 20);
          take(early.last("early", at + 50), at + 50);
          take(late.last("late", at + 50), at + 50);
        });

    assertThat(turns()).containsExactlyInAnyOrder("HOT early", "HOT late");
    assertThat(heat.ahead() + heat.late()).isZero();
  }

  @Test
  void sumsThatClaimAnotherTimeAreCountedApart() {
    begin();
    List<RoomSum.Cell> cells = edgeCells(700);
    take(new RoomSum(ROOM, "liar", 1, -3_600_000, cells), START + 50);
    take(new RoomSum(ROOM, "sleeper", 1, 3_600_000, cells), START + 60);
    edge.messages(ROOM, START, 100);
    take(edge.last(ROOM, START + 70), START + 70);

    assertThat(decisions).isEmpty();
    assertThat(heat.room(ROOM, START + 70).rate()).isEqualTo(100);
    assertThat(heat.ahead()).isEqualTo(700);
    assertThat(heat.late()).isEqualTo(700);
  }

  @Test
  void aRecordOfABrokerWhoseClockIsAheadMovesNobody() {
    begin();
    edge.messages(ROOM, START, 600);
    take(edge.last(ROOM, START + 60), START + 60);

    edge.messages("other", START, 10);
    heat.apply(edge.last("other", START + 70), START + 3_600_000, START + 70);
    heat.tick(START + 100);

    assertThat(turns()).containsExactly("HOT " + ROOM);
    assertThat(heat.ahead()).isEqualTo(10);
  }

  @Test
  void aBrokerWhoseClockIsAnHourAheadIsFollowedBeforeLong() {
    begin();
    long hour = 3_600_000;
    for (long at = START; at < START + 15_000; at += 50) {
      edge.messages(ROOM, at, 30);
      heat.apply(edge.last(ROOM, at + 50), at + 50 + hour, at + 50);
      heat.tick(at + 50);
    }
    assertThat(turns()).containsExactly("HOT " + ROOM);
  }

  @Test
  void sumsFromBeforeARestartHoldUpNoneAfterIt() {
    begin();
    edge.messages(ROOM, START - 8_000, 10);
    heat.apply(edge.last(ROOM, START - 7_900), START - 7_900, START);

    edge.messages(ROOM, START + 100, 600);
    take(edge.last(ROOM, START + 150), START + 150);

    assertThat(turns()).containsExactly("HOT " + ROOM);
    assertThat(decisions.get(0).verdict().rate()).isEqualTo(600);
    assertThat(heat.ahead()).isZero();
  }

  @Test
  void aLateSumCountsWhileItsSecondLives() {
    settings.set(SettingKey.HOT_WINDOW, "\"5s\"");
    begin();
    edge.messages(ROOM, START, 600);
    RoomSum sum = edge.last(ROOM, START + 3_000);
    take(sum, START + 3_000);

    assertThat(turns()).containsExactly("HOT " + ROOM);
    assertThat(heat.late()).isZero();
  }

  @Test
  void aLateSumOfASecondThatHasGoneIsCountedAsLateAndNowhereElse() {
    begin();
    edge.messages(ROOM, START, 600);
    RoomSum sum = edge.last(ROOM, START + 5_000);
    take(sum, START + 5_000);
    take(sum, START + 5_000);

    assertThat(decisions).isEmpty();
    assertThat(heat.room(ROOM, START + 5_000).rate()).isZero();
    assertThat(heat.late()).isEqualTo(600);
  }

  @Test
  void aLoneSumWhoseTenthIsJustBeginningIsJudgedOnceItHasBegun() {
    begin();
    // Its second began 60 ms after a tenth did, and so counts from the next tenth on.
    take(new RoomSum(ROOM, "edge-1", 1, 0, edgeCells(600)), START + 60);
    assertThat(decisions).isEmpty();

    heat.tick(START + 99);
    assertThat(decisions).isEmpty();
    heat.tick(START + 199);
    assertThat(turns()).containsExactly("HOT " + ROOM);
    assertThat(decisions.get(0).verdict().rate()).isEqualTo(600);
  }

  @Test
  void aRepeatedSumCountsOnce() {
    begin();
    edge.messages(ROOM, START, 300);
    RoomSum first = edge.last(ROOM, START + 60);
    edge.messages(ROOM, START + 70, 100);
    RoomSum second = edge.last(ROOM, START + 90);
    take(second, START + 90);
    take(first, START + 95);
    take(second, START + 99);

    assertThat(heat.room(ROOM, START + 99).rate()).isEqualTo(400);
    assertThat(decisions).isEmpty();
  }

  @Test
  void aCountrysThresholdIsHeldAgainstThatCountrysPart() {
    settings.set(SettingKey.HOT_THRESHOLD, SettingScope.country("KR"), "100");
    begin();
    edge.count(ROOM, EventKind.MESSAGE, "KR", null, START, 90);
    edge.count(ROOM, EventKind.MESSAGE, "US", null, START, 200);
    take(edge.last(ROOM, START + 50), START + 50);
    assertThat(decisions).isEmpty();

    edge.count(ROOM, EventKind.MESSAGE, "KR", null, START + 60, 11);
    take(edge.last(ROOM, START + 90), START + 90);

    HotVerdict verdict = decisions.get(0).verdict();
    assertThat(verdict.because()).isEqualTo("country=KR");
    assertThat(verdict.rate()).isEqualTo(101);
    assertThat(verdict.threshold()).isEqualTo(100);
    assertThat(heat.room(ROOM, START + 90).byCountry().get("KR").threshold()).isEqualTo(100);
    assertThat(heat.room(ROOM, START + 90).byCountry().get("US").rate()).isEqualTo(200);
  }

  @Test
  void anAppsThresholdIsHeldAgainstThatAppsPart() {
    settings
        .set(SettingKey.HOT_THRESHOLD, SettingScope.app("ios"), "100")
        .set(SettingKey.HOT_WINDOW, SettingScope.app("ios"), "\"3s\"");
    begin();
    for (long at = START; at < START + 2_000; at += 100) {
      edge.count(ROOM, EventKind.FETCH, null, "ios", at, 6);
      take(edge.last(ROOM, at + 50), at + 50);
    }

    assertThat(decisions.get(0).verdict().because()).isEqualTo("app=ios");
    assertThat(decisions.get(0).verdict().windowSeconds()).isEqualTo(3);
  }

  @Test
  void aThrottledRoomStaysHotWhileTheDemandLasts() {
    settings.set(SettingKey.HOT_WINDOW, "\"5s\"").set(SettingKey.HOT_THRESHOLD, "5000");
    begin();
    heat.apply(new Audience(ROOM, "notifier", 400), START, START);
    // 400 people, 50 messages a second: everyone fetches each, until it is hot; then once a second.
    run(
        60_000,
        100,
        at -> {
          if (at % 10_000 == 0) {
            heat.apply(new Audience(ROOM, "notifier", 400), at, at);
          }
          edge.messages(ROOM, at, 5);
          boolean hot = heat.isHot(ROOM);
          edge.count(ROOM, EventKind.FETCH, null, null, at, hot ? 40 : 2_000);
        });
    assertThat(turns()).containsExactly("HOT " + ROOM);
    assertThat(heat.room(ROOM, now).rate()).isLessThan(2_500);
    assertThat(heat.room(ROOM, now).demand()).isGreaterThan(90_000);

    run(12_000, 100, at -> edge.count(ROOM, EventKind.FETCH, null, null, at, 4));
    assertThat(turns()).containsExactly("HOT " + ROOM, "COOLED " + ROOM);
  }

  @Test
  void anAudienceThatIsNotReportedAgainHasGone() {
    begin();
    heat.apply(new Audience(ROOM, "notifier", 400), START, START);
    assertThat(heat.room(ROOM, START).audience()).isEqualTo(400);

    heat.tick(START + 31_000);
    heat.tick(START + 32_000);
    assertThat(heat.room(ROOM, START + 32_000).audience()).isZero();
    assertThat(heat.rooms()).isZero();
  }

  @Test
  void theVerdictOnARoomThatStaysHotIsRenewedWithItsRate() {
    begin();
    run(9_000, 50, at -> edge.messages(ROOM, at, 40));

    assertThat(decisions).hasSizeBetween(4, 6);
    assertThat(decisions.stream().filter(Decision::isTurn)).hasSize(1);
    assertThat(decisions.get(3).verdict().rate()).isBetween(700L, 800L);
    assertThat(decisions).allMatch(decision -> decision.verdict().since() == firstSince());
  }

  @Test
  void whatWasWrittenComesBack() {
    begin();
    settings.set(SettingKey.HOT_THRESHOLD, SettingScope.country("KR"), "100");
    heat.judgeBy(settings.rules(), START);
    edge.count(ROOM, EventKind.MESSAGE, "KR", "ios", START, 250);
    take(edge.last(ROOM, START + 50), START + 50);
    heat.apply(new Audience(ROOM, "notifier", 7), START + 50, START + 50);
    KeptHeat kept = new KeptHeat();
    heat.drainTo(kept);

    HeatPartition again = new HeatPartition(1_000, decisions::add);
    kept.restoreTo(again, START + 60);
    again.judgeBy(settings.rules(), START + 60);

    assertThat(again.room(ROOM, START + 60))
        .usingRecursiveComparison()
        .ignoringFields("verdict.at")
        .isEqualTo(heat.room(ROOM, START + 60));
    assertThat(turns()).containsExactly("HOT " + ROOM);
    again.apply(edge.last(ROOM, START + 70), START + 70, START + 70);
    assertThat(again.room(ROOM, START + 70).rate()).isEqualTo(250);
  }

  @Test
  void nothingIsKeptOfRoomsThatHaveGoneQuiet() {
    begin();
    KeptHeat kept = new KeptHeat();
    for (int i = 0; i < 500; i++) {
      edge.messages("room-" + i, START, 1);
      take(edge.last("room-" + i, START + 50), START + 50);
    }
    heat.drainTo(kept);
    assertThat(kept.size()).isEqualTo(500);

    heat.tick(START + 20_000);
    heat.drainTo(kept);
    assertThat(heat.rooms()).isZero();
    assertThat(kept.size()).isZero();
  }

  @Test
  void inventedRoomsPushOutQuietOnesAndNeverTheBusyOrTheHot() {
    heat = new HeatPartition(100, decisions::add);
    begin();
    edge.messages("hot", START, 600);
    take(edge.last("hot", START + 10), START + 10);
    for (int i = 0; i < 10_000; i++) {
      long at = START + 20 + i / 100;
      take(new RoomSum("invented-" + i, "x", START / 1_000, at - START, edgeCells(1)), at);
      if (i % 50 == 0) {
        edge.messages("busy", at, 1);
        take(edge.last("busy", at), at);
      }
    }

    assertThat(heat.rooms()).isEqualTo(100);
    assertThat(heat.shed()).isGreaterThan(9_000);
    assertThat(heat.isHot("hot")).isTrue();
    assertThat(heat.room("busy", START + 120).rate()).isEqualTo(200);
  }

  @Test
  void aMillionInventedRoomsGrowNeitherTheHeapNorTheStore() {
    begin();
    KeptHeat kept = new KeptHeat();
    for (int i = 0; i < 1_000_000; i++) {
      long at = START + i / 200;
      take(new RoomSum("invented-" + i, "x", START / 1_000, at - START, edgeCells(1)), at);
      assertThat(heat.rooms()).isLessThanOrEqualTo(1_000);
      if (i % 50_000 == 0) {
        heat.drainTo(kept);
        assertThat(kept.size()).isLessThanOrEqualTo(1_000);
      }
    }
    heat.drainTo(kept);

    assertThat(heat.shed()).isEqualTo(999_000);
    assertThat(kept.size()).isEqualTo(1_000);
    heat.tick(START + 60_000);
    heat.drainTo(kept);
    assertThat(heat.rooms()).isZero();
    assertThat(kept.size()).isZero();
  }

  @Test
  void beforeTheRulesAreKnownNothingIsJudged() {
    edge.messages(ROOM, START, 1_000_000);
    take(edge.last(ROOM, START + 50), START + 50);
    assertThat(decisions).isEmpty();

    begin();
    assertThat(turns()).containsExactly("HOT " + ROOM);
  }

  private static List<RoomSum.Cell> edgeCells(long events) {
    return List.of(new RoomSum.Cell(EventKind.MESSAGE, null, null, List.of(events)));
  }

  private void begin() {
    heat.judgeBy(settings.rules(), now);
  }

  /** Counts every {@code step} what {@code count} does, and tells of it and ticks just after. */
  private void run(long millis, long step, LongConsumer count) {
    for (long end = now + millis; now < end; ) {
      count.accept(now);
      now += step;
      take(edge.last(ROOM, now), now);
      heat.tick(now);
    }
  }

  private void take(RoomSum sum, long at) {
    heat.apply(sum, at, at);
  }

  private long firstSince() {
    return decisions.get(0).verdict().since();
  }

  private List<String> turns() {
    return decisions.stream()
        .filter(Decision::isTurn)
        .map(turn -> (turn.verdict() == null ? "COOLED " : "HOT ") + turn.roomId())
        .toList();
  }
}
