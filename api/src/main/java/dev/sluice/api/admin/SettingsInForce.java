package dev.sluice.api.admin;

import dev.sluice.settings.SettingAttempt;
import dev.sluice.settings.SettingsView;
import java.util.List;

/** What is known of settings; see {@link dev.sluice.settings.SettingsFollower}. */
public interface SettingsInForce {
  SettingsView view();

  /** The last attempts to change a setting, newest first. */
  List<SettingAttempt> history(int limit);
}
