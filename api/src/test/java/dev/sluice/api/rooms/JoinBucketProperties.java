package dev.sluice.api.rooms;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class JoinBucketProperties {
  @Property
  void no_stretch_as_long_as_the_window_ever_has_more_joins_than_the_threshold(
      @ForAll @LongRange(min = -10_000_000, max = 10_000_000) long begin,
      @ForAll @IntRange(min = 1, max = 60) int window,
      @ForAll @IntRange(min = 1, max = 12) int threshold,
      @ForAll @Size(max = 400) List<@IntRange(max = 900) Integer> pauses) {
    JoinBucket bucket = new JoinBucket();
    Deque<Long> inWindow = new ArrayDeque<>();
    long now = begin;
    for (int pause : pauses) {
      now += pause;
      while (!inWindow.isEmpty() && inWindow.peek() < now - window * 1000L) {
        inWindow.poll();
      }
      if (bucket.take(now, window, threshold) == 0) {
        inWindow.add(now);
      }

      assertThat(inWindow.size()).isLessThanOrEqualTo(threshold);
    }
  }

  @Property
  void who_is_refused_is_told_the_very_millisecond(
      @ForAll @IntRange(min = 1, max = 60) int window,
      @ForAll @IntRange(min = 1, max = 8) int threshold,
      @ForAll @Size(max = 200) List<@IntRange(max = 300) Integer> pauses) {
    JoinBucket bucket = new JoinBucket();
    long now = 0;
    for (int pause : pauses) {
      now += pause;
      long wait = bucket.take(now, window, threshold);
      if (wait > 0) {
        assertThat(wait).isLessThanOrEqualTo(window * 1000L + JoinBucket.TENTH_MILLIS);
        assertThat(bucket.take(now + wait - 1, window, threshold)).isEqualTo(1);
        assertThat(bucket.take(now + wait, window, threshold)).isZero();
        now += wait;
      }
    }
  }

  @Property
  void a_wider_window_or_a_lower_threshold_counts_what_was_accepted_before(
      @ForAll @IntRange(min = 1, max = 20) int narrow,
      @ForAll @IntRange(min = 21, max = 60) int wide,
      @ForAll @IntRange(min = 1, max = 20) int low,
      @ForAll @Size(max = 200) List<@IntRange(max = 300) Integer> pauses) {
    JoinBucket bucket = new JoinBucket();
    List<Long> accepted = new ArrayList<>();
    long now = 0;
    for (int pause : pauses) {
      now += pause;
      if (bucket.take(now, narrow, 1_000) == 0) {
        accepted.add(now);
      }
    }
    long from = now - wide * 1000L;
    long inWide = accepted.stream().filter(at -> at >= from).count();

    if (inWide >= low) {
      assertThat(bucket.take(now, wide, low)).isPositive();
    }
  }

  @Property
  void a_place_given_back_can_be_taken_again(
      @ForAll @IntRange(min = 1, max = 8) int threshold,
      @ForAll @Size(max = 60) List<@IntRange(max = 300) Integer> pauses) {
    JoinBucket bucket = new JoinBucket();
    long now = 0;
    for (int pause : pauses) {
      now += pause;
      if (bucket.take(now, 5, threshold) == 0) {
        bucket.giveBack(now);
        assertThat(bucket.take(now, 5, threshold)).isZero();
      }
      bucket.giveBack(now + 1_000);
      bucket.giveBack(now - 100_000);
    }
    assertThat(bucket.taken(now, 5)).isLessThanOrEqualTo(threshold);
  }
}
