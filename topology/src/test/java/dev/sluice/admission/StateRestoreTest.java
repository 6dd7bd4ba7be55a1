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
    public void resting(RoomRecord room) {
      notes.add("resting " + room.nextTicket());
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
  void aRoomRestsOnceNobodyInItIsRemembered() {
    KeptState kept = new KeptState();
    TestPartition p = new TestPartition(kept);
    p.configure("admission.capacity", "1");
    p.configure("admission.pace", TestPartition.ROOM, "\"0.001/s\"");
    p.configure("admission.keep-ended", "\"2s\"");
    p.enterAll(1, 3);
    for (int i = 1; i <= 3; i++) {
      p.leave("u" + i);
    }
    p.state().drainTo(kept);
    assertThat(p.state().rooms()).as("its people are remembered").hasSize(1);

    p.tickUntil(3_000).state().drainTo(kept);
    assertThat(p.find(TestPartition.ROOM, "u3")).isEmpty();
    assertThat(p.state().rooms()).as("its next admission is to wait").hasSize(1);

    p.at(1_100_000).tick();
    p.state().drainTo(kept);
    assertThat(p.state().rooms()).isEmpty();
    assertThat(kept.restore(TestPartition.NUMBER, new EndedInMemory()).rooms()).isEmpty();
    assertThat(p.room().nextTicket()).isEqualTo(4);
    assertThat(p.enter("u4").person().ticket()).isEqualTo(4);
    assertThat(p.state().rooms()).hasSize(1);
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
