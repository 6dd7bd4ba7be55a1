package dev.sluice.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.AdmissionState;
import dev.sluice.admission.RestingRooms;
import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.SystemView.PartitionStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OwnedPartitionTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final OwnedPartition partition =
      new OwnedPartition(
          3, new AdmissionState(3, new Nobody(), RestingRooms.NONE), 16, 4, Runnable::run);

  @Test
  void answersOnceTheOffsetIsApplied() {
    partition.logSeen(0, 0);
    CompletableFuture<Answer> waiting = partition.await(1, LONG);
    apply(0);
    assertThat(waiting).isNotDone();
    apply(1);
    assertThat(waiting.join().offset()).isEqualTo(1);
    assertThat(partition.waiting()).isZero();
  }

  @Test
  void answersFromTheLastResultsAndSaysDoneForWhatIsLongPast() {
    partition.logSeen(0, 0);
    for (int offset = 0; offset < 20; offset++) {
      apply(offset);
    }
    assertThat(partition.await(19, LONG).join().detail()).isEqualTo("result of 19");
    assertThat(partition.await(4, LONG).join().detail()).isEqualTo("result of 4");
    assertThat(partition.await(3, LONG).join().result()).isEqualTo(Answer.Result.DONE);
    assertThat(partition.await(3, LONG).join().detail()).isNull();
  }

  @Test
  void answersNothingBeforeItHasCaughtUpWithTheLogItFound() {
    CompletableFuture<Answer> early = partition.await(0, LONG);
    apply(0);
    apply(1);
    assertThat(early).isNotDone();
    partition.logSeen(0, 4);
    assertThat(partition.status()).isEqualTo(PartitionStatus.CATCHING_UP);
    apply(2);
    assertThat(early).isNotDone();
    apply(3);
    assertThat(partition.status()).isEqualTo(PartitionStatus.READY);
    assertThat(early.join().detail()).isEqualTo("result of 0");
  }

  @Test
  void isReadyAtOnceWhenTheLogIsEmpty() {
    partition.logSeen(0, 0);
    assertThat(partition.status()).isEqualTo(PartitionStatus.READY);
  }

  @Test
  void haltsWhenTheLogBeginsBeyondWhatComesNext() {
    CompletableFuture<Answer> waiting = partition.await(7, LONG);
    partition.logSeen(5, 9);
    assertThat(partition.status()).isEqualTo(PartitionStatus.HALTED);
    assertThat(partition.haltedBecause()).contains("begins at offset 5");
    assertThat(kindOf(waiting)).isEqualTo(Kind.HALTED);
    assertThat(kindOf(partition.await(8, LONG))).isEqualTo(Kind.HALTED);
    partition.close();
    assertThat(partition.haltedBecause()).contains("begins at offset 5");
  }

  @Test
  void turnsAwayWhoIsOneTooMany() {
    partition.logSeen(0, 0);
    List<CompletableFuture<Answer>> waiting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      waiting.add(partition.await(i, LONG));
    }
    assertThat(kindOf(partition.await(4, LONG))).isEqualTo(Kind.OVERLOADED);
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
    apply(0);
    assertThat(partition.await(4, LONG)).isNotDone();
  }

  @Test
  void letsGoOfThoseWhoseDeadlineHasCome() {
    partition.logSeen(0, 0);
    CompletableFuture<Answer> soon = partition.await(1_000_000, Duration.ofSeconds(1));
    CompletableFuture<Answer> later = partition.await(1_000_000, LONG);
    partition.expireWaiters(System.nanoTime());
    assertThat(soon).isNotDone();
    partition.expireWaiters(System.nanoTime() + TimeUnit.SECONDS.toNanos(2));
    assertThat(kindOf(soon)).isEqualTo(Kind.TIMED_OUT);
    assertThat(later).isNotDone();
    partition.expireWaiters(System.nanoTime() + TimeUnit.MINUTES.toNanos(2));
    assertThat(kindOf(later)).isEqualTo(Kind.TIMED_OUT);
    assertThat(partition.waiting()).isZero();
  }

  @Test
  void saysThatItIsBehindWhenItHasNotCaughtUpByTheDeadline() {
    CompletableFuture<Answer> waiting = partition.await(0, Duration.ofSeconds(1));
    partition.expireWaiters(System.nanoTime() + TimeUnit.SECONDS.toNanos(2));
    assertThat(kindOf(waiting)).isEqualTo(Kind.BEHIND);
  }

  @Test
  void whoWaitsIsToldThatThePartitionMoves() {
    CompletableFuture<Answer> early = partition.await(9, LONG);
    partition.logSeen(0, 0);
    CompletableFuture<Answer> waiting = partition.await(9, LONG);
    partition.close();
    assertThat(kindOf(early)).isEqualTo(Kind.MOVING);
    assertThat(kindOf(waiting)).isEqualTo(Kind.MOVING);
    assertThat(kindOf(partition.await(9, LONG))).isEqualTo(Kind.MOVING);
  }

  @Test
  void nobodyIsLeftWaitingHoweverTheyComeAgainstTheStreamThread() throws Exception {
    OwnedPartition busy =
        new OwnedPartition(
            0,
            new AdmissionState(0, new Nobody(), RestingRooms.NONE),
            1 << 14,
            100_000,
            Runnable::run);
    ExecutorService callers = Executors.newFixedThreadPool(3);
    try {
      List<CompletableFuture<Answer>> answers = new ArrayList<>();
      List<CompletableFuture<Void>> asking = new ArrayList<>();
      for (int caller = 0; caller < 3; caller++) {
        asking.add(
            CompletableFuture.runAsync(
                () -> {
                  for (long offset = 0; offset < 10_000; offset++) {
                    CompletableFuture<Answer> answer = busy.await(offset, LONG);
                    synchronized (answers) {
                      answers.add(answer);
                    }
                  }
                },
                callers));
      }
      for (long offset = 0; offset < 10_000; offset++) {
        if (offset == 5_000) {
          busy.logSeen(0, 5_000);
        }
        busy.applied(
            new Answer(0, offset, Answer.Result.DONE, null, "result of " + offset), Long.MAX_VALUE);
      }
      CompletableFuture.allOf(asking.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
      for (CompletableFuture<Answer> answer : answers) {
        Answer given = answer.get(10, TimeUnit.SECONDS);
        assertThat(given.detail()).isEqualTo("result of " + given.offset());
      }
      assertThat(busy.waiting()).isZero();
    } finally {
      callers.shutdownNow();
    }
  }

  @Test
  void wantsATickWhenSomethingIsDueAndNothingBefore() {
    partition.logSeen(0, 0);
    assertThat(partition.wantsTick(System.nanoTime())).isFalse();
    partition.applied(new Answer(3, 0, Answer.Result.DONE, null, null), 1_000);
    assertThat(partition.wantsTick(System.nanoTime())).isFalse();
    assertThat(partition.wantsTick(System.nanoTime() + TimeUnit.SECONDS.toNanos(2))).isTrue();
    partition.applied(new Answer(3, 1, Answer.Result.DONE, null, null), Long.MAX_VALUE);
    assertThat(partition.wantsTick(System.nanoTime() + TimeUnit.DAYS.toNanos(2))).isFalse();
  }

  private void apply(long offset) {
    partition.applied(
        new Answer(3, offset, Answer.Result.DONE, null, "result of " + offset), Long.MAX_VALUE);
  }

  private static Kind kindOf(CompletableFuture<?> refused) {
    assertThat(refused).isCompletedExceptionally();
    return ((QueryException) refused.handle((answer, failure) -> failure).join()).kind();
  }
}
