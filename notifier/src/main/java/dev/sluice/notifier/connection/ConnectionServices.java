package dev.sluice.notifier.connection;

import dev.sluice.identity.Sessions;
import dev.sluice.notifier.push.PresentState;
import dev.sluice.notifier.push.StatsRounds;
import dev.sluice.notifier.routing.RoutingTable;
import java.util.function.LongSupplier;

/**
 * What all connections share.
 *
 * @param nanos a clock that only goes forward, in nanoseconds
 */
public record ConnectionServices(
    Sessions sessions,
    RoutingTable table,
    PresentState presentState,
    StatsRounds stats,
    Connections connections,
    PushCounters counters,
    LongSupplier nanos) {}
