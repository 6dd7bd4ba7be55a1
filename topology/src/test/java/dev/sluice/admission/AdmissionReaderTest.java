package dev.sluice.admission;

import static dev.sluice.admission.TestPartition.ROOM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.Command;
import dev.sluice.contract.PersonStatus;
import dev.sluice.query.PersonView;
import dev.sluice.query.RoomView;
import dev.sluice.query.WaitingSnapshot;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class AdmissionReaderTest {
  @Test
  void aSnapshotOfWhoWaitsNeverChanges() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enterAll(1, 5);
    WaitingSnapshot before = p.reader().waiting(ROOM, 0);

    p.leave("u2");

    assertThat(before.waiting().size()).isEqualTo(4);
    assertThat(before.waiting().rank(5)).isEqualTo(4);
    assertThat(before.outflowPerMinute()).isEqualTo(Flow.UNKNOWN);
    assertThat(p.reader().waiting(ROOM, 0).waiting().rank(5)).isEqualTo(3);
  }

  @Test
  void onlyRoomsWithSomebodyInThemAreOccupied() {
    TestPartition p = TestPartition.withCapacity(1);
    p.enter("b", "u1");
    p.enter("a", "u1");
    p.enter("c", "u1");
    p.leave("u9", 1);
    p.apply(new Command.Leave("c", "u1", 1));

    assertThat(p.reader().occupiedRooms(0)).extracting(RoomView::roomId).containsExactly("a", "b");
  }

  @Test
  void aRoomThatNobodyEnteredHasItsSettings() {
    TestPartition p = TestPartition.withCapacity(7);

    RoomView room = p.reader().room("nowhere", 0);

    assertThat(room.capacity()).isEqualTo(7);
    assertThat(room.nextTicket()).isEqualTo(1);
    assertThat(room.offset()).isEqualTo(p.state().appliedOffset());
    assertThat(p.reader().person("nowhere", "u1", 0)).isEmpty();
  }

  @Test
  void admissionsOfTheLastMinuteGoByAsTheReadersClockMovesOn() {
    TestPartition p = TestPartition.withCapacity(3);
    p.enterAll(1, 3);
    long entered = p.person("u1").receipt().at();

    assertThat(p.reader().room(ROOM, entered).admittedLastMinute()).isEqualTo(3);
    assertThat(p.reader().room(ROOM, entered + 59_000).admittedLastMinute()).isEqualTo(3);
    assertThat(p.reader().room(ROOM, entered + 60_000).admittedLastMinute()).isZero();
    assertThat(p.reader().room(ROOM, entered - 9_000_000).admittedLastMinute()).isEqualTo(3);
  }

  @Test
  void aReaderBesideTheMachineSeesOnlyWhatCanBeAndNeverAnythingOlder() throws Exception {
    TestPartition p = TestPartition.withCapacity(3);
    p.enterAll(1, 300);
    AtomicBoolean done = new AtomicBoolean();
    CountDownLatch looking = new CountDownLatch(1);
    CompletableFuture<Integer> reader =
        CompletableFuture.supplyAsync(
            () -> {
              int looks = 0;
              PersonView last = p.reader().person(ROOM, "u290", 0).orElseThrow();
              while (!done.get() || last.status() == PersonStatus.WAITING) {
                PersonView now = p.reader().person(ROOM, "u290", 0).orElseThrow();
                assertThat(now.version().compareTo(last.version())).isNotNegative();
                if (now.status() == PersonStatus.WAITING) {
                  assertThat(now.rank()).isBetween(1L, last.rank());
                  assertThat(now.rank()).isLessThanOrEqualTo(now.totalWaiting());
                }
                last = now;
                looks++;
                looking.countDown();
              }
              assertThat(last.status()).isEqualTo(PersonStatus.COMPLETED);
              return looks;
            });
    assertThat(looking.await(1, TimeUnit.MINUTES)).isTrue();
    for (int i = 1; i <= 297; i++) {
      p.complete("u" + i);
      p.enter("v" + i);
    }
    done.set(true);

    assertThat(reader.join()).isPositive();
  }
}
