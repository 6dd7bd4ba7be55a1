package dev.sluice.contract;

/**
 * How many connections of one notifier are subscribed to a room, from now on.
 *
 * @param subscribers from 0
 */
public record Audience(String roomId, String producer, int subscribers) implements RoomCount {}
