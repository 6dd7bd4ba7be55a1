package dev.sluice.notifier.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.notifier.routing.PersonKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class PersonLanesTest {
  private final PersonLanes lanes = new PersonLanes(2, Thread::new);

  @AfterEach
  void close() {
    lanes.close();
  }

  @Test
  void whatHappensToAPersonStaysInOrder() {
    List<List<Integer>> done =
        IntStream.range(0, 50)
            .mapToObj(i -> Collections.synchronizedList(new ArrayList<Integer>()))
            .toList();
    List<Integer> inOrder = IntStream.range(0, 500).boxed().toList();

    for (int step : inOrder) {
      for (int i = 0; i < done.size(); i++) {
        List<Integer> mine = done.get(i);
        lanes.accept(new PersonKey("u" + i, "s"), () -> mine.add(step));
      }
    }

    await()
        .untilAsserted(
            () -> assertThat(done).allSatisfy(mine -> assertThat(mine).isEqualTo(inOrder)));
  }

  @Test
  void aStuckPersonHoldsUpNobodyOfAnotherLaneAndNothingIsLost() throws Exception {
    PersonKey stuck = new PersonKey("stuck", "s");
    CountDownLatch goOn = new CountDownLatch(1);
    lanes.accept(stuck, () -> awaitQuietly(goOn));
    AtomicInteger ofOthers = new AtomicInteger();
    AtomicInteger behind = new AtomicInteger();

    List<PersonKey> others =
        IntStream.range(0, 100).mapToObj(i -> new PersonKey("u" + i, "s")).toList();
    long elsewhere =
        others.stream()
            .filter(other -> Math.floorMod(other.hashCode() - stuck.hashCode(), 2) == 1)
            .peek(other -> lanes.accept(other, ofOthers::incrementAndGet))
            .count();
    await().untilAsserted(() -> assertThat(ofOthers).hasValue((int) elsewhere));

    Thread reader =
        new Thread(
            () ->
                IntStream.range(0, 10_000)
                    .forEach(i -> lanes.accept(stuck, behind::incrementAndGet)));
    reader.start();
    await().until(() -> reader.getState() == Thread.State.WAITING);
    assertThat(behind).hasValue(0);
    goOn.countDown();
    reader.join();
    await().untilAsserted(() -> assertThat(behind).hasValue(10_000));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
