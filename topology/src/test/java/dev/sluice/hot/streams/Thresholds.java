package dev.sluice.hot.streams;

import dev.sluice.hot.HotRules;
import dev.sluice.settings.BadSettingException;
import dev.sluice.settings.SettingAddress;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import dev.sluice.settings.SettingsView;

/** Rules with one threshold for all rooms. */
final class Thresholds {
  private Thresholds() {}

  static HotRules of(int threshold) {
    SettingAddress address = new SettingAddress(SettingKey.HOT_THRESHOLD, SettingScope.GLOBAL);
    String json = Integer.toString(threshold);
    try {
      return new HotRules(
          SettingsView.EMPTY.with(
              new SettingsView.InForce<>(
                  address, json, SettingKey.HOT_THRESHOLD.parse(json), 0, 0, null)));
    } catch (BadSettingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
