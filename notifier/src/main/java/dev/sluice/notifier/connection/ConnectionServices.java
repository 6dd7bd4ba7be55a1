package dev.sluice.notifier.connection;

import dev.sluice.identity.AdminRule;
import dev.sluice.identity.Sessions;
import dev.sluice.notifier.push.HotPushes;
import dev.sluice.notifier.push.PresentState;
import dev.sluice.notifier.push.RoomPushes;
import dev.sluice.notifier.push.StatsRounds;
import dev.sluice.notifier.routing.RoutingTable;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * What all connections share.
 *
 * @param flushSoon sends what a connection has queued, a moment later
 * @param nanos a clock that only goes forward, in nanoseconds
 */
public record ConnectionServices(
    Sessions sessions,
    AdminRule admins,
    RoutingTable table,
    PresentState presentState,
    StatsRounds stats,
    RoomPushes rooms,
    HotPushes hotRooms,
    Connections connections,
    PushCounters counters,
    Consumer<StompConnection> flushSoon,
    LongSupplier nanos) {}
