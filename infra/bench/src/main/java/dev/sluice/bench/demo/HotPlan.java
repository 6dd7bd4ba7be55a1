package dev.sluice.bench.demo;

import java.time.Duration;

/**
 * What happens in the demonstration of a hot room.
 *
 * @param room the one that becomes hot
 * @param quietRooms beside it
 * @param quietPerSecond messages a second in each quiet room, and in the room before it gets busy
 * @param people who are subscribed to the room, and fetch what they are told of
 * @param times how many times its usual messages the room gets while it is busy
 * @param joinsPerSecond attempts while it is busy
 * @param before it gets busy
 * @param busy how long it is
 * @param coolsWithin how long to wait for it to cool afterwards
 */
record HotPlan(
    String room,
    int quietRooms,
    double quietPerSecond,
    int people,
    int times,
    int joinsPerSecond,
    Duration before,
    Duration busy,
    Duration coolsWithin) {}
