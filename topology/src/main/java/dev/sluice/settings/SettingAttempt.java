package dev.sluice.settings;

/**
 * One attempt to change a setting, as kept in {@code config-history}.
 *
 * @param setting the key as written, or null; cut when long
 * @param value the JSON text as written, cut when long; null to unset
 * @param reason why not accepted, else null
 * @param who as the writer gave it, or null
 * @param at when it was written, milliseconds since the epoch
 * @param offset in {@code config}
 */
public record SettingAttempt(
    String setting,
    String value,
    boolean accepted,
    String reason,
    String who,
    long at,
    long offset) {}
