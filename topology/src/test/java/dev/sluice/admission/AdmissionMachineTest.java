package dev.sluice.admission;

import static dev.sluice.admission.TestPartition.ROOM;
import static dev.sluice.contract.PersonStatus.ADMITTED;
import static dev.sluice.contract.PersonStatus.COMPLETED;
import static dev.sluice.contract.PersonStatus.EXPIRED;
import static dev.sluice.contract.PersonStatus.LEFT;
import static dev.sluice.contract.PersonStatus.WAITING;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Command;
import dev.sluice.contract.Outcome;
import dev.sluice.contract.RoomState;
import dev.sluice.query.Answer;
import dev.sluice.query.Answer.Result;
import dev.sluice.query.PersonView;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the machine promises, one behaviour a test. */
class AdmissionMachineTest {
  @Test
  void thoseAtTheHeadWhoDontShowUpGiveTheirPlacesToThoseBehind() {
    TestPartition p = TestPartition.withCapacity(10);
    p.enterAll(1, 30);
    IntStream.rangeClosed(1, 10).forEach(i -> p.complete("u" + i));
    assertThat(p.room().active()).isEqualTo(10);

    p.tickUntil(30_000);

    assertThat(p.admitted()).containsExactlyElementsOf(names(1, 30));
    assertThat(names(11, 20)).allMatch(who -> p.status(who) == EXPIRED);
    assertThat(names(21, 30)).allMatch(who -> p.status(who) == ADMITTED);
  }

  @Test
  void countsAreExactAfterTimeouts() {
    TestPartition p = TestPartition.withCapacity(4);
    p.enterAll(1, 6);
    p.at(20_000);
    p.heartbeat("u1");
    p.heartbeat("u2");
    p.enterAll(7, 8);
    assertThat(p.room().waiting()).isEqualTo(4);

    p.at(30_000).tick();

    assertThat(p.room().active()).isEqualTo(4);
    assertThat(p.room().waiting()).isEqualTo(2);
    assertThat(p.admitted()).containsExactly("u1", "u2", "u3", "u4", "u5", "u6");
  }

  @Test
  void someoneForgottenStartsAnewAtTheBack() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 3);
    p.leave("u2");
    p.tickUntil(3_599_999);
    assertThat(p.status("u2")).isEqualTo(LEFT);

    p.tickUntil(3_600_000);

    assertThat(p.find(ROOM, "u2")).isEmpty();
    assertThat(p.leave("u2", 2).result()).isEqualTo(Result.UNKNOWN_PERSON);
    assertThat(p.enter("u2").person().ticket()).isEqualTo(4);
  }

  @Test
  void completingAdmitsTheNextInTheSameStep() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 2);

    Step.Applied step = (Step.Applied) p.apply(new Command.Complete(ROOM, "u1", 1));

    assertThat(step.outcomes().stream().filter(Outcome.PersonChanged.class::isInstance))
        .extracting(outcome -> ((Outcome.PersonChanged) outcome).status())
        .containsExactly(COMPLETED, ADMITTED);
    assertThat(step.answer().person().status()).isEqualTo(COMPLETED);
    assertThat(p.room().active()).isEqualTo(1);
  }

  @Test
  void enteringWhileAdmittedGivesThePresentPlaceAndNoSecond() {
    TestPartition p = TestPartition.withCapacity(5);
    PersonView first = p.enter("u1").person();

    Answer again = p.later(10).enter("u1");

    assertThat(again.person()).isEqualTo(first);
    assertThat(p.room().active()).isEqualTo(1);
  }

  @Test
  void neverMoreAreActiveThanTheCapacity() {
    TestPartition p = TestPartition.withCapacity(5);

    p.enterAll(1, 64);

    assertThat(p.room().active()).isEqualTo(5);
    assertThat(p.admitted()).containsExactlyElementsOf(names(1, 5));
  }

  @Test
  void theOneBehindASilentPersonMovesUpAtTheTimeout() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 2);

    p.at(31_000).tick();

    assertThat(p.status("u1")).isEqualTo(EXPIRED);
    assertThat(p.status("u2")).isEqualTo(ADMITTED);
    assertThat(p.person("u2").expiresAt() - p.person("u1").receipt().at()).isEqualTo(60_000);
  }

  @Test
  void oneWhoLeftTheQueueIsNotAdmitted() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 3);
    p.leave("u2");

    p.complete("u1");

    assertThat(p.admitted()).containsExactly("u1", "u3");
    assertThat(p.status("u2")).isEqualTo(LEFT);
  }

  @Test
  void aNewcomerNeverOvertakesThoseWhoWait() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 2);

    p.at(30_000).enter("u3");

    assertThat(p.admitted()).containsExactly("u1", "u2");
    assertThat(p.person("u3").rank()).isEqualTo(1);
  }

  @Test
  void aPauseAdmitsNobodyAndKeepsTheOrder() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 4);
    p.configure("admission.state", ROOM, "\"PAUSED\"");
    p.complete("u1");
    p.enter("u5");
    assertThat(p.room().state()).isEqualTo(RoomState.PAUSED);
    assertThat(p.room().active()).isZero();
    assertThat(List.of("u2", "u3", "u4", "u5"))
        .extracting(who -> p.person(who).rank())
        .containsExactly(1L, 2L, 3L, 4L);

    p.configure("admission.state", ROOM, "\"OPEN\"");
    p.complete("u2");

    assertThat(p.admitted()).containsExactly("u1", "u2", "u3");
  }

  @Test
  void aClosedRoomSaysSoAndTellsThoseWhoWait() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 3);

    p.configure("admission.state", "\"CLOSED\"");

    assertThat(p.person("u2").reason()).isEqualTo("CLOSED");
    assertThat(p.status("u3")).isEqualTo(EXPIRED);
    assertThat(p.status("u1")).isEqualTo(ADMITTED);
    assertThat(p.enter("u4").result()).isEqualTo(Result.ROOM_CLOSED);
    assertThat(p.enter("elsewhere", "u4").result()).isEqualTo(Result.ROOM_CLOSED);
    assertThat(p.enter("u1").result()).isEqualTo(Result.DONE);
    assertThat(p.outcomes().get(p.outcomes().size() - 1)).isInstanceOf(Outcome.Rejected.class);
  }

  @Test
  void aDrainingRoomAdmitsThoseWhoWaitAndTakesNobodyNew() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 2);
    p.configure("admission.state", ROOM, "\"DRAINING\"");

    assertThat(p.enter("u3").result()).isEqualTo(Result.ROOM_DRAINING);
    p.complete("u1");

    assertThat(p.admitted()).containsExactly("u1", "u2");
  }

  @Test
  void twoRoomsOfOnePersonHaveNothingToDoWithEachOther() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enter("a", "u0");
    p.enter("a", "u1");
    p.at(20_000).enter("b", "u1");
    assertThat(p.person("a", "u1").rank()).isEqualTo(1);
    assertThat(p.person("b", "u1").status()).isEqualTo(ADMITTED);

    p.at(30_000).tick();
    p.at(50_000).tick();

    assertThat(p.person("a", "u0").status()).isEqualTo(EXPIRED);
    assertThat(p.person("a", "u1").status()).isEqualTo(ADMITTED);
    assertThat(p.person("b", "u1").status()).isEqualTo(EXPIRED);
  }

  @Test
  void spareCapacityAdmitsAtOnce() {
    TestPartition p = TestPartition.withCapacity(1);

    assertThat(p.enter("u1").person().status()).isEqualTo(ADMITTED);
  }

  @Test
  void aRepeatedEntryHasTheTicketAndReceiptOfTheFirst() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enter("u0");
    PersonView first = p.enter("u1").person();

    PersonView second = p.later(500).enter("u1").person();

    assertThat(second).isEqualTo(first);
    assertThat(p.room().waiting()).isEqualTo(1);
  }

  @Test
  void aSmallStepBackOfTheClockChangesNothing() {
    TestPartition p = TestPartition.withCapacity(1);
    p.at(10_000).enterAll(1, 2);

    p.at(8_000).enter("u3");
    p.at(39_999).tick();
    assertThat(p.status("u1")).isEqualTo(ADMITTED);
    p.at(40_000).tick();

    assertThat(p.status("u1")).isEqualTo(EXPIRED);
    assertThat(p.admitted()).containsExactly("u1", "u2");
    assertThat(p.person("u3").rank()).isEqualTo(1);
  }

  @Test
  void aClockThatJumpsAnHourAheadAndBackExpiresNobodyAndFreezesNothing() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 2);
    p.at(10_000).tick();

    p.at(3_610_000).tick();
    p.at(3_620_000).tick();
    assertThat(p.status("u1")).isEqualTo(ADMITTED);
    assertThat(p.person("u1").expiresAt() - p.person("u1").receipt().at()).isEqualTo(3_630_000);
    p.at(25_000).tick();
    assertThat(p.status("u1")).isEqualTo(ADMITTED);
    p.at(34_999).tick();
    assertThat(p.status("u1")).isEqualTo(ADMITTED);
    p.at(35_000).tick();

    assertThat(p.status("u1")).isEqualTo(EXPIRED);
    assertThat(p.status("u2")).isEqualTo(ADMITTED);
  }

  @Test
  void timePassesFreelyWhileNobodyHasAPlace() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enter("u1");
    p.complete("u1");

    p.at(3_600_000).tick();

    assertThat(p.find(ROOM, "u1")).isEmpty();
    assertThat(p.machine().dueInMillis()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void placesFreedTogetherAreFilledUpToTheBoundAndTheRestByTicks() {
    TestPartition p = TestPartition.withCapacity(0);
    p.enterAll(1, 2_500);

    p.configure("admission.capacity", "2400");
    assertThat(p.room().active()).isEqualTo(Turn.MOST_CHANGES);
    assertThat(p.machine().dueInMillis()).isZero();
    p.tick();
    p.tick();

    assertThat(p.room().active()).isEqualTo(2_400);
    assertThat(p.admitted()).containsExactlyElementsOf(names(1, 2_400));
    assertThat(p.machine().dueInMillis()).isPositive();
  }

  @Test
  void aPaceSpreadsAdmissionsToTheMillisecondHoweverLateTheTicks() {
    TestPartition p = TestPartition.withCapacity(1_000);
    p.configure("admission.pace", "\"300/s\"");
    p.enterAll(1, 100);
    p.at(200).tick();
    assertThat(p.room().active()).isEqualTo(61);
    p.at(310).tick();

    List<Outcome.PersonChanged> admitted =
        p.changes().stream().filter(change -> change.status() == ADMITTED).toList();
    long first = admitted.get(0).at();
    assertThat(IntStream.range(0, 94).mapToObj(i -> admitted.get(i).at() - first))
        .containsExactlyElementsOf(
            IntStream.range(0, 94).mapToObj(i -> (long) Math.ceil(i * 3.333)).toList());
  }

  @Test
  void anEmptyQueueSavesUpNoPace() {
    TestPartition p = TestPartition.withCapacity(1_000);
    p.configure("admission.pace", "\"1/s\"");
    p.enter("u1");

    p.at(30_000).enterAll(2, 4);
    p.at(31_000).tick();

    assertThat(p.admitted()).containsExactly("u1", "u2", "u3");
  }

  @Test
  void aFasterPaceCountsFromNow() {
    TestPartition p = TestPartition.withCapacity(1_000);
    p.configure("admission.pace", "\"0.001/s\"");
    p.enterAll(1, 3);

    p.at(1_000).configure("admission.pace", "\"10/s\"");
    p.at(1_100).tick();

    assertThat(p.admitted()).containsExactly("u1", "u2");
  }

  @Test
  void theEstimateRisesPromptlyWhenTheOutflowSlowsDown() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 200);
    assertThat(p.person("u200").estimatedWaitSeconds()).isEqualTo(-1);
    for (int i = 1; i <= 60; i++) {
      p.at(i * 1_000L).complete("u" + i);
    }
    long steady = p.person("u200").estimatedWaitSeconds();
    assertThat(steady).isBetween(130L, 150L);

    p.at(70_000).heartbeat("u61");
    long soonAfter = p.person("u200").estimatedWaitSeconds();
    p.at(80_000).tick();
    long later = p.person("u200").estimatedWaitSeconds();

    assertThat(soonAfter).isGreaterThan(steady * 13 / 10);
    assertThat(later).isGreaterThan(soonAfter * 13 / 10);
    for (long now = 90_000; now <= 170_000; now += 20_000) {
      p.at(now).heartbeat("u61");
    }
    assertThat(p.person("u200").estimatedWaitSeconds()).isEqualTo(-1);
  }

  @Test
  void thereIsNoEstimateWhileNobodyCanBeAdmitted() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 100);
    for (int i = 1; i <= 30; i++) {
      p.at(i * 1_000L).complete("u" + i);
    }
    assertThat(p.person("u100").estimatedWaitSeconds()).isPositive();

    p.configure("admission.state", "\"PAUSED\"");
    assertThat(p.person("u100").estimatedWaitSeconds()).isEqualTo(-1);
    p.configure("admission.state", "\"OPEN\"");
    assertThat(p.person("u100").estimatedWaitSeconds()).isPositive();
    p.configure("admission.capacity", "0");
    assertThat(p.person("u100").estimatedWaitSeconds()).isEqualTo(-1);
  }

  @Test
  void someoneWhoEntersAfterAnExpiryButBeforeItsTickFindsThePlaceFree() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enter("u1");

    Answer entered = p.at(30_100).enter("u2");

    assertThat(entered.person().status()).isEqualTo(ADMITTED);
    assertThat(p.changes())
        .extracting(change -> change.requestId() + " " + change.status())
        .endsWith("u1 EXPIRED", "u2 WAITING", "u2 ADMITTED");
    assertThat(p.at(30_200).tick()).noneMatch(Outcome.PersonChanged.class::isInstance);
  }

  @Test
  void aHeartbeatAtTheExpiryIsTooLateAndOneBeforeIsNot() {
    TestPartition p = TestPartition.withCapacity(2);
    p.enterAll(1, 2);
    p.at(29_999);
    assertThat(p.heartbeat("u1").result()).isEqualTo(Result.DONE);

    Answer late = p.at(30_000).heartbeat("u2", 2);

    assertThat(late.result()).isEqualTo(Result.NOT_THAT_PLACE);
    assertThat(late.person().status()).isEqualTo(EXPIRED);
    assertThat(late.person().reason()).isEqualTo("TIMEOUT");
    assertThat(p.person("u1").expiresAt() - p.person("u1").receipt().at()).isEqualTo(59_999);
  }

  @Test
  void aPlaceEndsAtTheLongestSessionHoweverOftenRenewed() {
    TestPartition p = TestPartition.withCapacity(1);
    p.configure("admission.max-session", "\"45s\"");
    p.enter("u1");
    p.at(20_000).heartbeat("u1");
    p.at(40_000).heartbeat("u1");

    p.at(45_000).tick();

    assertThat(p.person("u1").reason()).isEqualTo("MAX_SESSION");
  }

  @Test
  void aRenewalNeverTakesBackAnEndAlreadyPromised() {
    TestPartition p = TestPartition.withCapacity(1);
    long promised = p.enter("u1").person().expiresAt();
    p.configure("admission.session-timeout", "\"1s\"");

    p.at(500).heartbeat("u1");

    assertThat(p.person("u1").expiresAt()).isEqualTo(promised);
  }

  @Test
  void aRenewalIsNewerThanWhatWasKnownAndHasNoOutcome() {
    TestPartition p = TestPartition.withCapacity(1);
    PersonView before = p.enter("u1").person();
    int outcomes = p.changes().size();

    PersonView after = p.at(5_000).heartbeat("u1").person();

    assertThat(after.version().isNewerThan(before.version())).isTrue();
    assertThat(p.changes()).hasSize(outcomes);
  }

  @Test
  void aHeartbeatWhileWaitingChangesNothing() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 2);
    PersonView before = p.person("u2");

    Answer answer = p.heartbeat("u2");

    assertThat(answer.result()).isEqualTo(Result.DONE);
    assertThat(answer.person()).isEqualTo(before);
  }

  @Test
  void aLateCompletionOfAnEarlierStayLeavesTheNewOneAlone() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enter("u1");
    p.leave("u1");
    p.enter("u1");

    Answer late = p.complete("u1", 1);

    assertThat(late.result()).isEqualTo(Result.NOT_THAT_PLACE);
    assertThat(p.person("u1").status()).isEqualTo(ADMITTED);
    assertThat(p.person("u1").ticket()).isEqualTo(2);
    assertThat(p.heartbeat("u1", 1).result()).isEqualTo(Result.NOT_THAT_PLACE);
    assertThat(p.leave("u1", 1).result()).isEqualTo(Result.NOT_THAT_PLACE);
  }

  @Test
  void completingAndLeavingAgainGivesThePresentState() {
    TestPartition p = TestPartition.withCapacity(2);
    p.enterAll(1, 2);
    p.complete("u1");
    p.leave("u2");

    assertThat(p.complete("u1").result()).isEqualTo(Result.DONE);
    assertThat(p.leave("u1").person().status()).isEqualTo(COMPLETED);
    assertThat(p.leave("u2").result()).isEqualTo(Result.DONE);
    assertThat(p.complete("u2").result()).isEqualTo(Result.NOT_THAT_PLACE);
    assertThat(p.heartbeat("u1").result()).isEqualTo(Result.NOT_THAT_PLACE);
    assertThat(p.complete("stranger", 1).result()).isEqualTo(Result.UNKNOWN_PERSON);
    assertThat(p.room().active()).isZero();
  }

  @Test
  void oneWhoWaitsCannotComplete() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 2);

    assertThat(p.complete("u2").result()).isEqualTo(Result.NOT_THAT_PLACE);
    assertThat(p.status("u2")).isEqualTo(WAITING);
  }

  @Test
  void onePersonOfTwoSessionsInTwoRoomsBelongsToEachInItsOwn() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enter("a", "u1", "alice");
    p.enter("b", "u1", "bob");

    assertThat(p.enter("a", "u1", "bob").result()).isEqualTo(Result.NOT_YOURS);
    assertThat(p.enter("a", "u1", "bob").person()).isNull();
    assertThat(p.person("a", "u1").session()).isEqualTo("alice");
    assertThat(p.person("b", "u1").session()).isEqualTo("bob");
    assertThat(p.reader().people("u1", 0)).extracting(PersonView::roomId).containsExactly("a", "b");
  }

  @Test
  void whoSaysTheirSessionChangesNothingOfAPersonOfAnother() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enter(ROOM, "u1", "alice");

    for (Command.OfPlace asked :
        List.of(
            new Command.Leave(ROOM, "u1", 1, "bob"),
            new Command.Heartbeat(ROOM, "u1", 1, "bob"),
            new Command.Complete(ROOM, "u1", 1, "bob"))) {
      Step.Applied step = (Step.Applied) p.apply(asked);
      assertThat(step.answer().result()).isEqualTo(Result.NOT_YOURS);
      assertThat(step.answer().person()).isNull();
      assertThat(step.outcomes())
          .singleElement()
          .isInstanceOfSatisfying(
              Outcome.Rejected.class,
              rejected ->
                  assertThat(rejected.reason()).isEqualTo(Outcome.Rejected.Reason.NOT_YOURS));
    }
    assertThat(p.status("u1")).isEqualTo(ADMITTED);

    p.apply(new Command.Complete(ROOM, "u1", 1, "alice"));
    assertThat(p.status("u1")).isEqualTo(COMPLETED);
  }

  @Test
  void aPersonBelongsToTheirSessionUntilForgotten() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enter(ROOM, "u1", "alice");
    p.complete("u1");

    assertThat(p.enter(ROOM, "u1", "bob").result()).isEqualTo(Result.NOT_YOURS);
    assertThat(p.status("u1")).isEqualTo(COMPLETED);

    p.tickUntil(3_600_000);
    assertThat(p.enter(ROOM, "u1", "bob").result()).isEqualTo(Result.DONE);
  }

  @Test
  void aSessionHoldsAsManyPlacesAsItMay() {
    TestPartition p = TestPartition.withCapacity(1);
    for (int i = 1; i <= 5; i++) {
      assertThat(p.enter(ROOM, "u" + i, "greedy").result()).isEqualTo(Result.DONE);
    }
    assertThat(p.enter(ROOM, "u6", "greedy").result()).isEqualTo(Result.TOO_MANY_PLACES);
    assertThat(p.enter("elsewhere", "u6", "greedy").result()).isEqualTo(Result.DONE);

    p.leave("u3");

    assertThat(p.enter(ROOM, "u6", "greedy").result()).isEqualTo(Result.DONE);
  }

  @Test
  void anOlderSettingFromAStalledWriterIsIgnored() {
    TestPartition p = new TestPartition();
    p.configure(new AcceptedSetting("admission.capacity", null, "7", 20));

    p.configure(new AcceptedSetting("admission.capacity", null, "9", 20));
    p.configure(new AcceptedSetting("admission.capacity", null, "9", 19));
    assertThat(p.room().capacity()).isEqualTo(7);
    p.configure(new AcceptedSetting("admission.capacity", null, null, 21));
    p.configure(new AcceptedSetting("admission.capacity", null, "9", 20));

    assertThat(p.room().capacity()).isEqualTo(200);
  }

  @Test
  void aBadOrForeignSettingIsPassedOver() {
    TestPartition p = TestPartition.withCapacity(7);

    p.configure(new AcceptedSetting("admission.capacity", null, "\"lots\"", 99));
    p.configure(new AcceptedSetting("hot.threshold", null, "1", 99));
    p.configure(new AcceptedSetting("admission.keep-ended", ROOM, "\"1s\"", 99));
    p.configure(new AcceptedSetting("no.such", null, "1", 99));

    assertThat(p.room().capacity()).isEqualTo(7);
  }

  @Test
  void aRoomsOwnSettingWinsUntilItIsUnset() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 5);
    p.configure("admission.capacity", ROOM, "3");
    assertThat(p.room().active()).isEqualTo(3);

    p.configure("admission.capacity", ROOM, null);

    assertThat(p.room().capacity()).isEqualTo(1);
    assertThat(p.room().active()).isEqualTo(3);
    assertThat(p.reader().room("never-entered", 0).capacity()).isEqualTo(1);
  }

  @Test
  void anAutomaticCapacityGrowsWithTheInstancesUpToTheMost() {
    TestPartition p = TestPartition.withCapacity(1);
    p.configure("admission.capacity", "\"auto\"");
    assertThat(p.room().capacity()).isEqualTo(200);
    p.configure("admission.instances", "4");
    assertThat(p.room().capacity()).isEqualTo(800);
    p.configure("admission.instances", "40");
    assertThat(p.room().capacity()).isEqualTo(1_000);
  }

  @Test
  void nobodyIsAdmittedBeforeTheFirstSettingsCome() {
    TestPartition p = new TestPartition();
    p.enterAll(1, 3);
    assertThat(p.room().configured()).isFalse();
    assertThat(p.room().active()).isZero();

    p.configure();

    assertThat(p.admitted()).containsExactly("u1", "u2", "u3");
    assertThat(p.room().configured()).isTrue();
  }

  @Test
  void capacityLoweredThrowsNobodyOutAndAdmitsNobodyUntilItIsUnderAgain() {
    TestPartition p = TestPartition.withCapacity(3);
    p.enterAll(1, 5);

    p.configure("admission.capacity", "1");
    assertThat(p.room().active()).isEqualTo(3);
    p.complete("u1");
    p.complete("u2");
    assertThat(p.admitted()).hasSize(3);
    p.complete("u3");

    assertThat(p.admitted()).containsExactly("u1", "u2", "u3", "u4");
  }

  @Test
  void aLateTickOfAnotherOwnerChangesNothing() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 2);
    p.tick();

    assertThat(p.tick()).isEmpty();
    assertThat(p.at(-30_000).tick()).isEmpty();
  }

  @Test
  void anInvalidRecordIsRejectedAndWhatWasDueHappens() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 2);

    Step.Applied step = p.at(30_000).invalid(null, null, "not JSON");

    assertThat(step.answer().result()).isEqualTo(Result.INVALID);
    assertThat(step.outcomes())
        .filteredOn(Outcome.Rejected.class::isInstance)
        .extracting(outcome -> ((Outcome.Rejected) outcome).reason())
        .containsExactly(Outcome.Rejected.Reason.INVALID);
    assertThat(p.admitted()).containsExactly("u1", "u2");
    assertThat(p.state().appliedOffset()).isEqualTo(p.nextOffset() - 1);
  }

  @Test
  void aRecordAppliedBeforeIsSkippedAndAGapIsRefused() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enter("u1");

    assertThat(p.machine().apply(1, 0, new Command.Tick())).isEqualTo(new Step.Skipped());
    assertThat(p.machine().apply(3, 0, new Command.Tick())).isEqualTo(new Step.Gap(2, 3));
    assertThat(new TestPartition().machine().apply(5, 0, new Command.Tick()))
        .isEqualTo(new Step.Gap(0, 5));
    assertThat(p.state().appliedOffset()).isEqualTo(1);
  }

  @Test
  void rulesThatAreUnknownAreRefusedAndOlderOnesIgnored() {
    TestPartition p = TestPartition.withCapacity(1);

    assertThat(p.apply(new Command.Rules(0))).isInstanceOf(Step.Applied.class);
    assertThat(p.state().partitionRecord().rulesVersion()).isEqualTo(1);
    assertThat(p.apply(new Command.Rules(9)))
        .isEqualTo(new Step.RulesTooNew(9, AdmissionMachine.KNOWN_RULES));
    assertThat(p.state().appliedOffset()).isEqualTo(p.nextOffset() - 1);
  }

  @Test
  void closingABigRoomGoesOnByTicksEvenIfReopenedAndSparesThoseWhoEnterThen() {
    TestPartition p = TestPartition.withCapacity(0);
    p.enterAll(1, 2_500);
    p.configure("admission.state", "\"CLOSED\"");
    p.configure(
        new AcceptedSetting("admission.state", null, "\"OPEN\"", 50),
        new AcceptedSetting("admission.capacity", null, "1", 50));
    assertThat(p.room().waiting()).isEqualTo(500);

    assertThat(p.enter("u2400").person().ticket()).isEqualTo(2_501);

    assertThat(p.admitted()).containsExactly("u2400");
    assertThat(p.room().waiting()).isZero();
    assertThat(p.changes().stream().filter(change -> "CLOSED".equals(change.reason())))
        .hasSize(2_500);
  }

  @Test
  void aPersonsOwnExpiryComesBeforeTheirCommandWhateverElseIsDue() {
    TestPartition p = new TestPartition(3);
    p.configure("admission.capacity", "10");
    p.enterAll(1, 10);

    Answer late = p.at(30_000).heartbeat("u9", 9);

    assertThat(late.person().status()).isEqualTo(EXPIRED);
    assertThat(p.status("u10")).isEqualTo(ADMITTED);
    p.tickUntil(30_000);
    assertThat(p.room().active()).isZero();
  }

  @Test
  void whileAnyoneHasAPlaceTimeIsLetPassEveryHalfMinute() {
    TestPartition p = TestPartition.withCapacity(0);
    assertThat(p.machine().dueInMillis()).isEqualTo(Long.MAX_VALUE);

    p.enter("u1");

    assertThat(p.machine().dueInMillis()).isEqualTo(30_000);
  }

  @Test
  void progressIsToldOnceASecondWhileSomethingChanges() {
    TestPartition p = TestPartition.withCapacity(1);
    for (int i = 1; i <= 30; i++) {
      p.at(i * 100L).enter("u" + i);
    }
    p.tickUntil(20_000);

    List<Outcome.Progress> progress =
        p.outcomes().stream()
            .filter(Outcome.Progress.class::isInstance)
            .map(Outcome.Progress.class::cast)
            .toList();
    assertThat(progress).extracting(Outcome.Progress::waiting).containsExactly(0, 9, 19, 29);
    assertThat(progress).extracting(Outcome.Progress::active).containsOnly(1);
  }

  private static List<String> names(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(i -> "u" + i).toList();
  }
}
