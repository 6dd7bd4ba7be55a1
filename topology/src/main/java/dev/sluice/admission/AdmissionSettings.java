package dev.sluice.admission;

import static dev.sluice.settings.SettingKey.ADMISSION_CAPACITY;
import static dev.sluice.settings.SettingKey.ADMISSION_INSTANCES;
import static dev.sluice.settings.SettingKey.ADMISSION_KEEP_ENDED;
import static dev.sluice.settings.SettingKey.ADMISSION_MAX_PER_SESSION;
import static dev.sluice.settings.SettingKey.ADMISSION_MAX_SESSION;
import static dev.sluice.settings.SettingKey.ADMISSION_MAX_SESSIONS;
import static dev.sluice.settings.SettingKey.ADMISSION_PACE;
import static dev.sluice.settings.SettingKey.ADMISSION_SESSIONS_PER_INSTANCE;
import static dev.sluice.settings.SettingKey.ADMISSION_SESSION_TIMEOUT;
import static dev.sluice.settings.SettingKey.ADMISSION_STATE;

import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Ids;
import dev.sluice.settings.BadSettingException;
import dev.sluice.settings.Capacity;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The settings that a partition has been told, each the newest of its key and room. Immutable. A
 * room's own value wins over the global one, and that over the default.
 */
final class AdmissionSettings {
  /** Nothing has been told. */
  static final AdmissionSettings NONE = new AdmissionSettings(Map.of());

  private final Map<Address, Told> told;
  private final long keepEnded;

  private record Address(String key, String roomId) {}

  /** A setting and the meaning of its value, null when it unsets. */
  private record Told(AcceptedSetting setting, Object value) {}

  private AdmissionSettings(Map<Address, Told> told) {
    this.told = told;
    this.keepEnded = value(ADMISSION_KEEP_ENDED, null).toMillis();
  }

  /**
   * These settings and those of {@code news} that are newer. Passed over are settings that don't
   * decide admission, and values that the setting doesn't allow.
   *
   * @param taken sees each setting that is newer, in order
   */
  AdmissionSettings with(List<AcceptedSetting> news, Consumer<AcceptedSetting> taken) {
    Map<Address, Told> changed = new HashMap<>(told);
    for (AcceptedSetting setting : news) {
      Address address = new Address(setting.key(), setting.roomId());
      Told before = changed.get(address);
      Told after = understand(setting);
      if (after != null && (before == null || before.setting().offset() < setting.offset())) {
        changed.put(address, after);
        taken.accept(setting);
      }
    }
    return new AdmissionSettings(changed);
  }

  RoomSettings of(String roomId) {
    return new RoomSettings(
        capacity(roomId),
        value(ADMISSION_SESSION_TIMEOUT, roomId).toMillis(),
        value(ADMISSION_MAX_SESSION, roomId).toMillis(),
        value(ADMISSION_MAX_PER_SESSION, roomId),
        value(ADMISSION_PACE, roomId),
        value(ADMISSION_STATE, roomId));
  }

  /** How long ended people are kept, in milliseconds. */
  long keepEnded() {
    return keepEnded;
  }

  private int capacity(String roomId) {
    Capacity capacity = value(ADMISSION_CAPACITY, roomId);
    if (!capacity.isAuto()) {
      return capacity.places();
    }
    long wanted =
        (long) value(ADMISSION_INSTANCES, roomId) * value(ADMISSION_SESSIONS_PER_INSTANCE, roomId);
    return (int) Math.min(wanted, value(ADMISSION_MAX_SESSIONS, roomId));
  }

  private <T> T value(SettingKey<T> key, String roomId) {
    T own = roomId == null ? null : toldAt(key, roomId);
    if (own != null) {
      return own;
    }
    T global = toldAt(key, null);
    return global == null ? key.defaultValue() : global;
  }

  /** The key of an address and the type of the value kept there agree: {@link #understand}. */
  @SuppressWarnings("unchecked")
  private <T> T toldAt(SettingKey<T> key, String roomId) {
    Told found = told.get(new Address(key.name(), roomId));
    return found == null ? null : (T) found.value();
  }

  private static Told understand(AcceptedSetting setting) {
    SettingKey<?> key = SettingKey.named(setting.key()).orElse(null);
    if (key == null || !key.decidesAdmission() || !hasScope(key, setting.roomId())) {
      return null;
    }
    try {
      return new Told(setting, setting.value() == null ? null : key.parse(setting.value()));
    } catch (BadSettingException e) {
      return null;
    }
  }

  private static boolean hasScope(SettingKey<?> key, String roomId) {
    return roomId == null
        ? key.allows(SettingScope.Kind.GLOBAL)
        : key.allows(SettingScope.Kind.ROOM) && Ids.isValid(roomId);
  }
}
