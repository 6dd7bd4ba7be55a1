package dev.sluice.hot;

import dev.sluice.settings.BadSettingException;
import dev.sluice.settings.SettingAddress;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import dev.sluice.settings.SettingsView;

/** Settings in force, set one after the other. */
final class HotSettings {
  private SettingsView view = SettingsView.EMPTY;
  private long offset;

  HotSettings set(SettingKey<?> key, SettingScope scope, String json) {
    view = view.with(inForce(key, scope, json));
    return this;
  }

  HotSettings set(SettingKey<?> key, String json) {
    return set(key, SettingScope.GLOBAL, json);
  }

  private <T> SettingsView.InForce<T> inForce(SettingKey<T> key, SettingScope scope, String json) {
    try {
      return new SettingsView.InForce<>(
          new SettingAddress(key, scope), json, key.parse(json), offset++, 0, null);
    } catch (BadSettingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  HotRules rules() {
    return new HotRules(view);
  }
}
