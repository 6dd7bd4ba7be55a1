package dev.sluice.notifier.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

final class RateTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - SECOND / 2);

  @Test
  void aSecondsWorthMayComeAtOnceAndThenAsManyAsGrow() {
    Rate rate = new Rate(2_000, nanos::get);

    assertThat(taken(rate, 3_000)).isEqualTo(2_000);
    nanos.addAndGet(SECOND / 2);
    assertThat(taken(rate, 3_000)).isEqualTo(1_000);
    nanos.addAndGet(SECOND / 2_000 - 1);
    assertThat(rate.take()).isFalse();
    nanos.addAndGet(1);
    assertThat(rate.take()).isTrue();
  }

  @Test
  void aLongPauseSavesNoMoreThanASecondsWorth() {
    Rate rate = new Rate(7, nanos::get);
    nanos.addAndGet(Duration.ofDays(1).toNanos());

    assertThat(taken(rate, 100)).isEqualTo(7);
  }

  @Test
  void severalThreadsTakeNoMoreThanThereIs() throws Exception {
    Rate rate = new Rate(10_000, nanos::get);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    Callable<Integer> taking = () -> taken(rate, 10_000);
    int all = 0;
    for (Future<Integer> each : threads.invokeAll(List.of(taking, taking, taking, taking))) {
      all += each.get();
    }
    threads.shutdown();

    assertThat(all).isEqualTo(10_000);
  }

  @Property(tries = 300)
  void overAnyStretchNoMoreComeThanTheRateAndOneBurst(
      @ForAll @IntRange(min = 1, max = 50) int perSecond,
      @ForAll @Size(max = 200) List<@LongRange(min = 0, max = 300_000_000) Long> pauses) {
    Rate rate = new Rate(perSecond, nanos::get);
    List<Long> times = new ArrayList<>();
    long passed = 0;
    long refusedAt = -1;
    for (long pause : pauses) {
      nanos.addAndGet(pause);
      passed += pause;
      if (rate.take()) {
        times.add(passed);
      } else {
        refusedAt = passed;
      }
    }

    for (int from = 0; from < times.size(); from++) {
      for (int to = from; to < times.size(); to++) {
        double stretch = (double) (times.get(to) - times.get(from)) / SECOND;
        assertThat(to - from + 1.0).isLessThanOrEqualTo(perSecond + stretch * perSecond + 1e-6);
      }
    }
    // And nobody is refused who needn't be: the bucket was empty to a token.
    if (refusedAt >= 0) {
      long before = refusedAt;
      long came = times.stream().filter(time -> time <= before).count();
      assertThat(came).isGreaterThanOrEqualTo(perSecond);
    }
  }

  private static int taken(Rate rate, int tries) {
    int taken = 0;
    for (int i = 0; i < tries; i++) {
      taken += rate.take() ? 1 : 0;
    }
    return taken;
  }
}
