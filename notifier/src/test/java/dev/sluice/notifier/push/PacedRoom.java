package dev.sluice.notifier.push;

import dev.sluice.settings.HotMode;
import java.util.ArrayList;
import java.util.List;

/** A room at a pace, on a clock in milliseconds that the test moves; looks when a push is due. */
final class PacedRoom {
  private final PushPace pace = new PushPace();
  private final List<Push> pushes = new ArrayList<>();
  private final List<Long> events = new ArrayList<>();
  HotMode mode = HotMode.INTERVAL;
  long interval = 1_000;
  double probability = 0;
  boolean hot;
  private long now;

  /**
   * One push.
   *
   * @param told events said before it
   * @param hot as it told
   */
  record Push(long at, int told, boolean hot) {}

  void say() {
    say(0.5);
  }

  void say(double chance) {
    events.add(now);
    note(pace.said(now, rule(), chance));
  }

  void turn() {
    hot = !hot;
    note(pace.turned(now, rule()));
  }

  /** Lets time pass, and looks whenever the pace says. */
  void pass(long millis) {
    long end = now + millis;
    for (long delay = pace.delay(now, rule());
        delay != PushPace.NEVER && now + delay <= end;
        delay = pace.delay(now, rule())) {
      now += delay;
      note(pace.isDue(now, rule()));
    }
    now = end;
  }

  private PushPace.Rule rule() {
    return new PushPace.Rule(hot, mode, interval, probability);
  }

  private void note(boolean pushed) {
    if (pushed) {
      pushes.add(new Push(now, events.size(), hot));
    }
  }

  List<Push> pushes() {
    return pushes;
  }

  Push last() {
    return pushes.get(pushes.size() - 1);
  }

  List<Long> times() {
    return pushes.stream().map(Push::at).toList();
  }

  /** When each event was said. */
  List<Long> events() {
    return events;
  }

  /** Nothing has been kept from the subscribers. */
  boolean owesNothing() {
    return pace.delay(now, rule()) == PushPace.NEVER;
  }
}
