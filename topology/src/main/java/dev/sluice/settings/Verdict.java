package dev.sluice.settings;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * What the gate says of one record of {@code config}. A function of the record alone.
 *
 * @param attempt for the history
 * @param setting that is in force from now on, or unset; null when refused
 */
record Verdict(SettingAttempt attempt, SettingsView.InForce<?> setting) {
  /** Longest key, value or name that the history shows, in bytes. */
  private static final int MAX_SHOWN = 512;

  /**
   * Judges a record.
   *
   * @param who as the writer gave it, or null
   * @param at append time, milliseconds since the epoch
   */
  static Verdict of(byte[] key, byte[] value, byte[] who, long at, long offset) {
    String setting = shown(key);
    String json = shown(value);
    String name = shown(who);
    try {
      if (key != null && key.length > MAX_SHOWN) {
        throw new BadSettingException("the key is longer than the name of any setting");
      }
      SettingAddress address = SettingAddress.parse(setting);
      SettingsView.InForce<?> inForce =
          value == null
              ? new SettingsView.InForce<>(address, null, null, offset, at, name)
              : inForce(address, address.key(), value, offset, at, name);
      return new Verdict(new SettingAttempt(setting, json, true, null, name, at, offset), inForce);
    } catch (BadSettingException e) {
      return new Verdict(
          new SettingAttempt(setting, json, false, e.getMessage(), name, at, offset), null);
    }
  }

  private static <T> SettingsView.InForce<T> inForce(
      SettingAddress address, SettingKey<T> key, byte[] value, long offset, long at, String who)
      throws BadSettingException {
    if (value.length > MAX_SHOWN) {
      throw new BadSettingException(
          "%s must be %s; the value given has %d bytes"
              .formatted(key.name(), key.allowed(), value.length));
    }
    SettingKey.Checked<T> checked = key.check(new String(value, UTF_8));
    return new SettingsView.InForce<>(address, checked.json(), checked.value(), offset, at, who);
  }

  private static String shown(byte[] bytes) {
    if (bytes == null) {
      return null;
    }
    return bytes.length <= MAX_SHOWN
        ? new String(bytes, UTF_8)
        : new String(bytes, 0, MAX_SHOWN, UTF_8) + "...";
  }
}
