package dev.sluice.notifier.routing;

/**
 * A person as their owner knows them, in whatever room.
 *
 * @param session hash of the owning session
 */
public record PersonKey(String requestId, String session) {}
