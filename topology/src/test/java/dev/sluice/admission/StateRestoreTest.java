package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.AcceptedSetting;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StateRestoreTest {
  /** Notes what is handed over. */
  private static final class Notes implements Changes {
    final List<String> notes = new ArrayList<>();

    @Override
    public void partition(PartitionRecord partition) {
      notes.add("partition " + partition.appliedOffset());
    }

    @Override
    public void setting(AcceptedSetting setting) {
      notes.add("setting " + setting.key());
    }

    @Override
    public void room(RoomRecord room) {
      notes.add("room " + room.nextTicket());
    }

    @Override
    public void waitingLeaf(String roomId, long number, long[] words) {
      notes.add("leaf " + number + (words == null ? " gone" : ""));
    }

    @Override
    public void entrants(String roomId, long number, List<Person> waiting) {
      notes.add("entrants " + number + (waiting == null ? " gone" : " " + waiting.size()));
    }

    @Override
    public void active(String roomId, long ticket, Person person) {
      notes.add("active " + ticket + (person == null ? " gone" : ""));
    }
  }

  private static List<String> drain(TestPartition partition) {
    Notes notes = new Notes();
    partition.state().drainTo(notes);
    return notes.notes;
  }

  @Test
  void onlyWhatHasChangedIsHandedOver() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 3);
    assertThat(drain(p))
        .containsExactlyInAnyOrder(
            "setting admission.capacity",
            "room 4",
            "leaf 0",
            "entrants 0 2",
            "active 1",
            "partition 3");

    assertThat(drain(p)).containsExactly("partition 3");

    p.heartbeat("u1");
    assertThat(drain(p)).containsExactlyInAnyOrder("room 4", "active 1", "partition 4");
    p.leave("u2");
    assertThat(drain(p)).containsExactlyInAnyOrder("room 4", "leaf 0", "partition 5");
  }

  @Test
  void nothingOfPeopleIsKeptOnceEverybodyIsGone() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 130);
    drain(p);

    for (int i = 1; i <= 130; i++) {
      p.leave("u" + i);
    }

    assertThat(drain(p))
        .contains("leaf 0 gone", "entrants 0 gone", "entrants 1 gone", "entrants 2 gone")
        .contains("active 1 gone", "active 130 gone");
  }

  @Test
  void partsThatDontFitAreRefused() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 3);
    KeptState kept = new KeptState();
    p.state().drainTo(kept);

    kept.entrants(TestPartition.ROOM, 0, null);

    assertThatThrownBy(() -> kept.restore(TestPartition.NUMBER, new EndedInMemory()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("2 people are to wait, of whom 0 are kept");
  }

  @Test
  void aClosingUnderWayGoesOnAfterARestart() {
    TestPartition p = TestPartition.withCapacity(0);
    p.enterAll(1, 2_500);
    p.configure("admission.state", "\"CLOSED\"");
    KeptState kept = new KeptState();
    p.state().drainTo(kept);

    AdmissionState restored = kept.restore(TestPartition.NUMBER, new EndedInMemory());

    assertThat(new AdmissionMachine(restored).dueInMillis()).isZero();
    assertThat(restored.living()).isEqualTo(1_500);
  }
}
