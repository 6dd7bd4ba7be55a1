package dev.sluice.settings;

import dev.sluice.contract.AcceptedSetting;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All settings in force at one time. Immutable. A value for a room wins over one for its app, that
 * over one for its country, that over the global one, and that over the default.
 */
public final class SettingsView {
  /** Nothing is set. */
  public static final SettingsView EMPTY = new SettingsView(Map.of(), -1);

  private final Map<SettingAddress, InForce<?>> settings;
  private final long offset;

  /**
   * A value that was accepted.
   *
   * @param json null when it was unset, and the next wider scope or the default counts
   * @param value the meaning of {@code json}, null with it
   * @param offset in {@code config}
   * @param at when it was written, milliseconds since the epoch
   * @param who wrote it, or null
   */
  public record InForce<T>(
      SettingAddress address, String json, T value, long offset, long at, String who) {
    public boolean isUnset() {
      return json == null;
    }
  }

  private SettingsView(Map<SettingAddress, InForce<?>> settings, long offset) {
    this.settings = settings;
    this.offset = offset;
  }

  /** The same with {@code changed}, unless it is older than what is known at its address. */
  public SettingsView with(InForce<?> changed) {
    InForce<?> present = settings.get(changed.address());
    if (present != null && present.offset() >= changed.offset()) {
      return this;
    }
    Map<SettingAddress, InForce<?>> copy = new HashMap<>(settings);
    copy.put(changed.address(), changed);
    return new SettingsView(copy, Math.max(offset, changed.offset()));
  }

  /** The same, knowing {@code config} up to {@code seen}. */
  public SettingsView upTo(long seen) {
    return seen <= offset ? this : new SettingsView(settings, seen);
  }

  /** The offset in {@code config} up to which everything accepted is in here; -1 for none. */
  public long offset() {
    return offset;
  }

  /** The offset in {@code config} of what was last accepted at an address; -1 for nothing. */
  long offsetAt(SettingAddress address) {
    InForce<?> setting = settings.get(address);
    return setting == null ? -1 : setting.offset();
  }

  /** The global value of a setting. */
  public <T> T of(SettingKey<T> key) {
    return of(key, null, null, null);
  }

  /** The value of a setting for a room. */
  public <T> T of(SettingKey<T> key, String roomId) {
    return of(key, roomId, null, null);
  }

  /** The value of a setting for a room, an app and a country, each of which may be null. */
  public <T> T of(SettingKey<T> key, String roomId, String app, String country) {
    InForce<T> found = null;
    if (roomId != null) {
      found = setAt(key, SettingScope.room(roomId));
    }
    if (found == null && app != null) {
      found = setAt(key, SettingScope.app(app));
    }
    if (found == null && country != null) {
      found = setAt(key, SettingScope.country(country));
    }
    if (found == null) {
      found = setAt(key, SettingScope.GLOBAL);
    }
    return found == null ? key.defaultValue() : found.value();
  }

  /** The value set at just this scope, if there is one. */
  public <T> Optional<InForce<T>> at(SettingKey<T> key, SettingScope scope) {
    return Optional.ofNullable(setAt(key, scope));
  }

  /** All values set, ordered by address. */
  public List<InForce<?>> all() {
    return settings.values().stream()
        .filter(setting -> !setting.isUnset())
        .sorted(Comparator.comparing(setting -> setting.address().toString()))
        .toList();
  }

  /**
   * What a partition must be told on a change of owner: all settings that decide admission, and for
   * each global one not set, that it is unset as of {@link #offset}. Those unset for a room are
   * among them, since {@code settings} keeps their tombstones.
   */
  public List<AcceptedSetting> admissionSettings() {
    List<AcceptedSetting> accepted = new ArrayList<>();
    if (offset < 0) {
      return accepted;
    }
    for (SettingKey<?> key : SettingKey.all()) {
      if (key.decidesAdmission()
          && !settings.containsKey(new SettingAddress(key, SettingScope.GLOBAL))) {
        accepted.add(new AcceptedSetting(key.name(), null, null, offset));
      }
    }
    Collection<InForce<?>> known = settings.values();
    known.stream()
        .filter(setting -> setting.address().key().decidesAdmission())
        .map(SettingsView::accepted)
        .forEach(accepted::add);
    accepted.sort(
        Comparator.comparing(AcceptedSetting::key)
            .thenComparing(
                AcceptedSetting::roomId, Comparator.nullsFirst(Comparator.naturalOrder())));
    return accepted;
  }

  /** A setting that decides admission, as a machine is told. */
  public static AcceptedSetting accepted(InForce<?> setting) {
    SettingAddress address = setting.address();
    return new AcceptedSetting(
        address.key().name(), address.scope().name(), setting.json(), setting.offset());
  }

  @SuppressWarnings("unchecked")
  private <T> InForce<T> setAt(SettingKey<T> key, SettingScope scope) {
    InForce<?> setting = settings.get(new SettingAddress(key, scope));
    return setting == null || setting.isUnset() ? null : (InForce<T>) setting;
  }
}
