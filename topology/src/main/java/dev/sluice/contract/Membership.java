package dev.sluice.contract;

/**
 * Somebody comes into a room or goes.
 *
 * @param joins whether they come
 * @param country as in {@link RoomEvent}
 * @param app as in {@link RoomEvent}
 */
public record Membership(String roomId, String userId, boolean joins, String country, String app) {}
