package dev.sluice.contract;

/**
 * A setting as accepted into {@code sluice.settings}.
 *
 * @param key such as {@code admission.capacity}
 * @param roomId the room it is for, or null for all
 * @param value its JSON value as text ({@code 200}, {@code "30s"}), or null when unset
 * @param offset its place in {@code sluice.config}, which orders values of one key and room
 */
public record AcceptedSetting(String key, String roomId, String value, long offset) {}
