package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FlowTest {
  private static final long START = 1_764_417_600_000L;

  @Test
  void nothingIsKnownBeforeAnyonePassedAndAMinuteAfterTheLast() {
    Flow once = Flow.NONE.plusOne(START);

    assertThat(Flow.NONE.perMinute(START)).isEqualTo(Flow.UNKNOWN);
    assertThat(once.perMinute(START + 59_999)).isPositive();
    assertThat(once.perMinute(START + 60_000)).isEqualTo(Flow.UNKNOWN);
    assertThat(once.lastMinute(START + 59_999)).isEqualTo(1);
    assertThat(once.lastMinute(START + 60_000)).isZero();
  }

  @Test
  void aSteadyFlowHasItsRateSoonAndForAsLongAsItLasts() {
    Flow flow = Flow.NONE;
    for (int second = 0; second < 300; second++) {
      for (int i = 0; i < 5; i++) {
        flow = flow.plusOne(START + second * 1_000L + i * 200L);
      }
      if (second >= 10) {
        assertThat(flow.perMinute(START + second * 1_000L + 999)).isCloseTo(300, within(1.0));
      }
    }
    assertThat(flow.lastMinute(START + 299_999)).isEqualTo(300);
  }

  @Test
  void aFlowThatStopsFallsByMoreThanItsShareOfTheMinute() {
    Flow flow = Flow.NONE;
    for (int second = 0; second < 60; second++) {
      flow = flow.plusOne(START + second * 1_000L);
    }
    double steady = flow.perMinute(START + 59_000);

    assertThat(flow.perMinute(START + 74_000)).isLessThan(steady * 0.65);
    assertThat(flow.perMinute(START + 89_000)).isLessThan(steady * 0.3);
  }

  @Test
  void aLongPauseForgetsWhatFlowedBefore() {
    Flow flow = Flow.NONE.plusOne(START).plusOne(START + 61_000);

    assertThat(flow.lastMinute(START + 61_000)).isEqualTo(1);
    assertThat(flow.since()).isEqualTo(flow.last());
    assertThat(Flow.of(flow.since(), flow.last(), flow.counts())).isEqualTo(flow);
    assertThat(Flow.of(0, 0, new int[0])).isEqualTo(Flow.NONE);
  }
}
