package dev.sluice.runtime;

import dev.sluice.hot.HotRules;
import dev.sluice.settings.SettingsFollower;
import dev.sluice.settings.SettingsView;
import java.util.function.Supplier;

/**
 * The rules of hot rooms by the settings in force; null until these have been read. Thread-safe.
 */
final class RulesInForce implements Supplier<HotRules> {
  private final SettingsFollower settings;
  private volatile Known known;

  private record Known(SettingsView view, HotRules rules) {}

  RulesInForce(SettingsFollower settings) {
    this.settings = settings;
  }

  @Override
  public HotRules get() {
    SettingsView view = settings.view();
    Known last = known;
    if (last != null && last.view() == view) {
      return last.rules();
    }
    if (last == null && !settings.readToEnd().isDone()) {
      return null;
    }
    HotRules rules = new HotRules(view);
    known = new Known(view, rules);
    return rules;
  }
}
