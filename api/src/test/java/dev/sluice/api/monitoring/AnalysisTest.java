package dev.sluice.api.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.api.monitoring.Analysis.Advice;
import dev.sluice.api.monitoring.Analysis.Trend;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnalysisTest {
  @Test
  void busy_and_growing_asks_for_more() {
    Analysis analysis = Analysis.of(active(60, 65, 70, 75, 80, 85));

    assertThat(analysis.advice()).isEqualTo(Advice.SCALE_UP);
    assertThat(analysis.trend()).isEqualTo(Trend.GROWING);
    assertThat(analysis.utilisation()).isEqualTo(0.85);
    assertThat(analysis.reason())
        .isEqualTo("85 of 100 places are taken (85 %), 0 people wait, and demand is growing.");
  }

  @Test
  void full_with_a_queue_that_grows_asks_for_more_although_no_more_can_be_active() {
    List<Point> points = new ArrayList<>();
    for (int waiting = 0; waiting < 6; waiting++) {
      points.add(point(100, waiting * 50));
    }

    assertThat(Analysis.of(points).advice()).isEqualTo(Advice.SCALE_UP);
  }

  @Test
  void idle_and_shrinking_can_do_with_less() {
    assertThat(Analysis.of(active(60, 50, 40, 30, 20, 10)).advice()).isEqualTo(Advice.SCALE_DOWN);
  }

  @Test
  void at_the_limits_nothing_is_to_be_done() {
    assertThat(Analysis.of(active(60, 65, 70, 75, 78, 80)).advice()).isEqualTo(Advice.STEADY);
    assertThat(Analysis.of(active(60, 50, 40, 35, 32, 30)).advice()).isEqualTo(Advice.STEADY);
  }

  @Test
  void busy_but_shrinking_and_idle_but_growing_are_left_alone() {
    assertThat(Analysis.of(active(100, 99, 98, 93, 91, 90)).advice()).isEqualTo(Advice.STEADY);
    assertThat(Analysis.of(active(1, 5, 8, 12, 15, 20)).advice()).isEqualTo(Advice.STEADY);
  }

  @Test
  void small_changes_are_no_trend() {
    assertThat(Analysis.of(active(90, 91, 90, 91, 90, 91)).trend()).isEqualTo(Trend.FLAT);
  }

  @Test
  void only_the_last_minute_counts() {
    assertThat(Analysis.of(active(100, 100, 100, 20, 20, 20, 20, 20, 20)).trend())
        .isEqualTo(Trend.FLAT);
  }

  @Test
  void nothing_or_a_single_point_shows_no_trend() {
    assertThat(Analysis.of(List.of()).advice()).isEqualTo(Advice.STEADY);
    assertThat(Analysis.of(active(95)).trend()).isEqualTo(Trend.FLAT);
    assertThat(Analysis.of(active(50, 95)).trend()).isEqualTo(Trend.GROWING);
  }

  private static List<Point> active(int... active) {
    List<Point> points = new ArrayList<>();
    for (int count : active) {
      points.add(point(count, 0));
    }
    return points;
  }

  private static Point point(int active, int waiting) {
    return new Point(Instant.EPOCH, 1, waiting, active, 100, active / 100.0, 0, 0);
  }
}
