package dev.sluice.admission;

import dev.sluice.contract.RoomState;
import dev.sluice.settings.Pace;

/**
 * The settings in force for one room.
 *
 * @param capacity people active at most
 * @param sessionTimeout of an active place without a heartbeat, in milliseconds
 * @param maxSession of an active place in all, in milliseconds
 * @param maxPerSession places one session may hold, waiting or active
 */
record RoomSettings(
    int capacity,
    long sessionTimeout,
    long maxSession,
    int maxPerSession,
    Pace pace,
    RoomState state) {}
