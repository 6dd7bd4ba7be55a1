package dev.sluice.notifier.push;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.PersonStatus;
import dev.sluice.notifier.FakeRooms;
import dev.sluice.query.PersonView;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LookUpsTest {
  private final FakeRooms rooms = new FakeRooms();
  private final LookUps lookUps = new LookUps(rooms, Runnable::run);

  @Test
  void manyAreAskedForTogetherAndAllAreAnswered() {
    rooms.hold();
    List<Recorder> all = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      rooms.enter("r", "u" + i, "s");
      all.add(ask("u" + i));
    }
    // One each at first, since nobody else waited; then a few for all the rest.
    assertThat(rooms.heldAnswers()).isEqualTo(8);
    rooms.release();

    assertThat(all).allMatch(asker -> asker.statuses().equals(List.of(PersonStatus.WAITING)));
    assertThat(lookUps.open()).isZero();
  }

  @Test
  void thoseWhoAskForTheSamePersonWhileTheyWaitShareAnAnswer() {
    rooms.hold();
    keepBusy();
    rooms.enter("r", "u", "s");
    List<Recorder> three = List.of(ask("u"), ask("u"), ask("u"));

    assertThat(lookUps.open()).isEqualTo(9);
    rooms.release();

    assertThat(three).allMatch(asker -> asker.statuses().equals(List.of(PersonStatus.WAITING)));
  }

  @Test
  void aCrowdHoldsUpNoOtherRoomAndWhoeverNamesNone() {
    rooms.hold();
    keepBusy();
    for (int i = 0; i < 3_000; i++) {
      ask("u" + i);
    }
    rooms.enter("other", "v", "s");
    Recorder inAnother = new Recorder();
    Recorder anywhere = new Recorder();
    lookUps.ask("other", "v", inAnother);
    lookUps.ask(null, "v", anywhere);
    rooms.release();

    assertThat(inAnother.statuses()).containsExactly(PersonStatus.WAITING);
    assertThat(anywhere.statuses()).containsExactly(PersonStatus.WAITING);
    assertThat(lookUps.open()).isZero();
  }

  @Test
  void anAnswerIsNeverFromBeforeItWasAskedFor() {
    rooms.enter("r", "u", "s");
    rooms.hold();
    Recorder before = ask("u");
    rooms.admit("r", "u");
    Recorder after = ask("u");
    rooms.release();

    assertThat(before.statuses()).containsExactly(PersonStatus.WAITING);
    assertThat(after.statuses()).containsExactly(PersonStatus.ADMITTED);
  }

  @Test
  void whoHasGoneIsNotAskedFor() {
    rooms.hold();
    keepBusy();
    Recorder gone = ask("u");
    gone.waiting = false;
    Recorder next = ask("v");
    rooms.release();

    assertThat(gone.answers).isEmpty();
    assertThat(next.answers).hasSize(1);
    assertThat(lookUps.open()).isZero();
  }

  @Test
  void aFailureIsToldAndHoldsUpNobody() {
    rooms.fail(1);
    Recorder unlucky = ask("u");
    Recorder lucky = ask("v");

    assertThat(unlucky.failures).isEqualTo(1);
    assertThat(lucky.answers).hasSize(1);
    assertThat(lookUps.open()).isZero();
  }

  private void keepBusy() {
    for (int i = 0; i < 8; i++) {
      ask("busy" + i);
    }
  }

  private Recorder ask(String requestId) {
    Recorder asker = new Recorder();
    lookUps.ask("r", requestId, asker);
    return asker;
  }

  private static final class Recorder implements LookUps.Asker {
    private final List<List<PersonView>> answers = new ArrayList<>();
    private int failures;
    private boolean waiting = true;

    @Override
    public boolean isWaiting() {
      return waiting;
    }

    @Override
    public void answered(List<PersonView> people, Throwable failure) {
      if (failure == null) {
        answers.add(people);
      } else {
        failures++;
      }
    }

    List<PersonStatus> statuses() {
      return answers.stream().flatMap(List::stream).map(PersonView::status).toList();
    }
  }
}
