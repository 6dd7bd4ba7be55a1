package dev.sluice.hot;

import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import dev.sluice.settings.SettingsView;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * When rooms are hot, by the settings in force. Immutable.
 *
 * <p>A threshold set for a country or an app is held against that country's or app's part of a
 * room; one that is set globally or for a room against the room as a whole.
 */
public final class HotRules {
  private final SettingsView settings;
  private final Map<String, Part> countries = new TreeMap<>();
  private final Map<String, Part> apps = new TreeMap<>();
  private final int longestWindow;

  /** What a room is judged by. */
  record Limits(long threshold, int windowSeconds, double releaseRatio, long holdMillis) {}

  /**
   * What a country's or app's part of any room is judged by.
   *
   * @param windowSeconds 0: that of the room
   */
  record Part(long threshold, int windowSeconds) {
    int windowOr(int ofTheRoom) {
      return windowSeconds == 0 ? ofTheRoom : windowSeconds;
    }
  }

  public HotRules(SettingsView settings) {
    this.settings = settings;
    long longest = SettingKey.HOT_WINDOW.defaultValue().toSeconds();
    for (SettingsView.InForce<?> setting : settings.all()) {
      SettingScope scope = setting.address().scope();
      if (setting.address().key() == SettingKey.HOT_WINDOW) {
        longest = Math.max(longest, ((Duration) setting.value()).toSeconds());
      } else if (setting.address().key() == SettingKey.HOT_THRESHOLD) {
        Part part = new Part((Integer) setting.value(), windowOf(scope));
        switch (scope.kind()) {
          case COUNTRY -> countries.put(scope.name(), part);
          case APP -> apps.put(scope.name(), part);
          case GLOBAL, ROOM -> {
            // Asked for with the room.
          }
        }
      }
    }
    this.longestWindow = (int) longest;
  }

  private int windowOf(SettingScope scope) {
    Optional<SettingsView.InForce<Duration>> own = settings.at(SettingKey.HOT_WINDOW, scope);
    return own.map(window -> (int) window.value().toSeconds()).orElse(0);
  }

  Limits of(String roomId) {
    return new Limits(
        settings.of(SettingKey.HOT_THRESHOLD, roomId),
        (int) settings.of(SettingKey.HOT_WINDOW, roomId).toSeconds(),
        settings.of(SettingKey.HOT_RELEASE_RATIO, roomId),
        settings.of(SettingKey.HOT_HOLD, roomId).toMillis());
  }

  /** The countries with a threshold of their own. */
  Map<String, Part> countries() {
    return countries;
  }

  /** The apps with a threshold of their own. */
  Map<String, Part> apps() {
    return apps;
  }

  /** The longest window in force anywhere, in seconds. */
  int longestWindow() {
    return longestWindow;
  }
}
