package dev.sluice.notifier.push;

import dev.sluice.settings.HotMode;

/**
 * When the subscribers of one room are told that there is something new. A normal room tells each
 * event; a hot one is thinned out by its {@link Rule}. At an interval, two pushes are never closer
 * than it where the room was hot at either of them, also if it turned in between; by chance, what
 * was last and hasn't been told is told once the room has been silent for an interval. Pure: the
 * time and the chance are given. Not thread-safe.
 */
final class PushPace {
  /** There is nothing to tell. */
  static final long NEVER = Long.MAX_VALUE;

  private boolean owes;
  private boolean owesTurn;
  private long saidAt;
  private boolean hasPushed;
  private long pushedAt;
  private boolean wasHot;

  /**
   * What holds for the room at a moment.
   *
   * @param interval in nanoseconds
   * @param probability of telling an event at once, 0 to 1
   */
  record Rule(boolean hot, HotMode mode, long interval, double probability) {
    private boolean isByChance() {
      return mode == HotMode.PROBABILITY;
    }
  }

  /**
   * Something was said.
   *
   * @param now nanoseconds of a clock that only goes forward
   * @param chance at random from 0 to 1, 1 excluded
   * @return whether to push now, which then counts as done
   */
  boolean said(long now, Rule rule, double chance) {
    owes = true;
    saidAt = now;
    if (rule.hot() && rule.isByChance() && chance < rule.probability()) {
      pushed(now, rule);
      return true;
    }
    return isDue(now, rule);
  }

  /**
   * The room became hot or cooled, which its subscribers are to know.
   *
   * @return whether to push now, which then counts as done
   */
  boolean turned(long now, Rule rule) {
    owesTurn = true;
    return isDue(now, rule);
  }

  /**
   * Looks again at what was held back.
   *
   * @return whether to push now, which then counts as done
   */
  boolean isDue(long now, Rule rule) {
    if (delay(now, rule) > 0) {
      return false;
    }
    pushed(now, rule);
    return true;
  }

  /** Nanoseconds until a push is due, if nothing happens and the rule stays; or {@link #NEVER}. */
  long delay(long now, Rule rule) {
    if (!owes && !owesTurn) {
      return NEVER;
    }
    if (rule.isByChance()) {
      return rule.hot() && !owesTurn ? left(saidAt, now, rule) : 0;
    }
    return hasPushed && (rule.hot() || wasHot) ? left(pushedAt, now, rule) : 0;
  }

  private static long left(long since, long now, Rule rule) {
    return Math.max(0, rule.interval() - (now - since));
  }

  private void pushed(long now, Rule rule) {
    owes = false;
    owesTurn = false;
    hasPushed = true;
    pushedAt = now;
    wasHot = rule.hot();
  }
}
