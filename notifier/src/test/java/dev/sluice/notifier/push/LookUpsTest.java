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
  void manyAskANumberAtATimeAndAllAreAnswered() {
    rooms.hold();
    List<Recorder> all = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      rooms.enter("r", "u" + i, "s");
      all.add(ask("u" + i));
    }

    assertThat(rooms.heldAnswers()).isEqualTo(64);
    rooms.release();

    assertThat(all).allMatch(asker -> asker.answers.size() == 1);
    assertThat(lookUps.open()).isZero();
  }

  @Test
  void thoseWhoAskForTheSamePersonWhileTheyWaitShareAnAnswer() {
    rooms.hold();
    for (int i = 0; i < 64; i++) {
      ask("busy" + i);
    }
    rooms.enter("r", "u", "s");
    List<Recorder> three = List.of(ask("u"), ask("u"), ask("u"));

    assertThat(lookUps.open()).isEqualTo(65);
    rooms.release();

    assertThat(three).allMatch(asker -> asker.statuses().equals(List.of(PersonStatus.WAITING)));
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
    for (int i = 0; i < 64; i++) {
      ask("busy" + i);
    }
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
    rooms.fail(100);
    List<Recorder> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(ask("u" + i));
    }

    assertThat(all).filteredOn(asker -> asker.failures == 1).hasSize(100);
    assertThat(all).filteredOn(asker -> asker.answers.size() == 1).hasSize(100);
  }

  private Recorder ask(String requestId) {
    Recorder asker = new Recorder();
    lookUps.ask(new LookUps.Question("r", requestId), asker);
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
