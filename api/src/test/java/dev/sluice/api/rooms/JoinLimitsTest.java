package dev.sluice.api.rooms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.api.admin.SettingsInForce;
import dev.sluice.settings.SettingAddress;
import dev.sluice.settings.SettingAttempt;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import dev.sluice.settings.SettingsView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class JoinLimitsTest {
  private final AtomicLong nanos = new AtomicLong(Duration.ofHours(1).toNanos());
  private final Settings settings = new Settings();
  private final JoinLimits limits = new JoinLimits(settings, nanos::get);

  @Test
  void the_1001st_join_in_the_window_is_refused_and_passes_after_it() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(limits.take("lobby").isAccepted()).isTrue();
    }
    JoinLimits.Verdict refused = limits.take("lobby");

    assertThat(refused.isAccepted()).isFalse();
    assertThat(refused.retryAfterMillis()).isBetween(5_000L, 5_100L);
    assertThat(limits.take("other").isAccepted()).isTrue();
    pass(refused.retryAfterMillis() - 1);
    assertThat(limits.take("lobby").isAccepted()).isFalse();
    pass(1);
    assertThat(limits.take("lobby").isAccepted()).isTrue();
  }

  @Test
  void in_a_storm_of_a_minute_each_window_has_its_thousand_and_never_more() {
    List<Long> accepted = new ArrayList<>();
    for (int millis = 0; millis < 60_000; millis++) {
      for (int i = 0; i < 3; i++) {
        if (limits.take("lobby").isAccepted()) {
          accepted.add((long) millis);
        }
      }
      pass(1);
    }

    for (int begin = 0; begin <= 55_000; begin += 50) {
      int from = begin;
      long inWindow = accepted.stream().filter(at -> at >= from && at < from + 5_000).count();
      assertThat(inWindow).isBetween(700L, 1_000L);
    }
    assertThat(accepted).hasSizeBetween(11_500, 12_000);
  }

  @Test
  void a_change_of_a_setting_counts_at_once() {
    settings.set("join.threshold", SettingScope.GLOBAL, "2");
    limits.take("lobby");
    limits.take("lobby");
    assertThat(limits.take("lobby").isAccepted()).isFalse();
    settings.set("join.threshold", SettingScope.room("lobby"), "3");
    assertThat(limits.take("lobby").isAccepted()).isTrue();
    settings.set("join.window", SettingScope.GLOBAL, "\"1s\"");
    assertThat(limits.take("lobby").retryAfterMillis()).isBetween(1_000L, 1_100L);
    pass(1_100);
    settings.set("join.window", SettingScope.GLOBAL, "\"60s\"");
    assertThat(limits.take("lobby").isAccepted()).isFalse();
  }

  @Test
  void a_place_given_back_is_free() {
    settings.set("join.threshold", SettingScope.GLOBAL, "1");
    JoinLimits.Verdict accepted = limits.take("lobby");
    assertThat(limits.take("lobby").isAccepted()).isFalse();
    pass(300);
    limits.giveBack("lobby", accepted);
    limits.giveBack("never-heard-of", accepted);

    assertThat(limits.take("lobby").isAccepted()).isTrue();
    assertThat(limits.take("lobby").isAccepted()).isFalse();
  }

  @Test
  void a_million_names_neither_grow_memory_nor_push_out_a_room_under_storm() {
    for (int i = 0; i < 1_000; i++) {
      limits.take("stormy");
    }
    for (int i = 0; i < 300; i++) {
      limits.take("busy");
    }
    for (int i = 0; i < 1_000_000; i++) {
      limits.take("invented-" + i);
    }

    assertThat(limits.rooms()).isLessThanOrEqualTo(JoinLimits.MAX_CALM + 2);
    assertThat(limits.take("stormy").isAccepted()).isFalse();
    int more = 0;
    while (limits.take("busy").isAccepted()) {
      more++;
    }
    assertThat(more).isEqualTo(700);
  }

  @Test
  void rooms_that_cannot_be_pushed_out_are_bounded_and_calm_down() {
    settings.set("join.threshold", SettingScope.GLOBAL, "16");
    for (int i = 0; i < 2 * JoinLimits.MAX_STORMY; i++) {
      for (int j = 0; j < 5; j++) {
        limits.take("room-" + i);
      }
    }
    assertThat(limits.stormy()).isEqualTo(JoinLimits.MAX_STORMY);
    pass(6_000);
    settings.set("join.threshold", SettingScope.GLOBAL, "1000");
    limits.take("room-0");
    assertThat(limits.stormy()).isEqualTo(JoinLimits.MAX_STORMY - 1);
    pass(62_000);
    assertThat(limits.rooms()).isZero();
    assertThat(limits.stormy()).isZero();
  }

  @Test
  void many_threads_together_get_no_more_than_the_threshold() throws Exception {
    AtomicInteger accepted = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 10_000; i++) {
                  if (limits.take("lobby").isAccepted()) {
                    accepted.incrementAndGet();
                  }
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(accepted).hasValue(1_000);
    assertThat(limits.stormy()).isOne();
  }

  private void pass(long millis) {
    nanos.addAndGet(Duration.ofMillis(millis).toNanos());
  }

  /** Settings that a test changes. */
  private static final class Settings implements SettingsInForce {
    private SettingsView view = SettingsView.EMPTY;

    void set(String name, SettingScope scope, String json) {
      set(SettingKey.named(name).orElseThrow(), scope, json);
    }

    private <T> void set(SettingKey<T> key, SettingScope scope, String json) {
      try {
        long offset = view.offset() + 1;
        view =
            view.with(
                new SettingsView.InForce<>(
                    SettingAddress.of(key, scope), json, key.check(json).value(), offset, 0, null));
      } catch (dev.sluice.settings.BadSettingException e) {
        throw new IllegalArgumentException(e);
      }
    }

    @Override
    public SettingsView view() {
      return view;
    }

    @Override
    public List<SettingAttempt> history(int limit) {
      return List.of();
    }
  }
}
