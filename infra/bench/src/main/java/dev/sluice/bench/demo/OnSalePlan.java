package dev.sluice.bench.demo;

import java.time.Duration;

/**
 * How an on-sale goes.
 *
 * @param arrival time in which all visitors arrive, the crowd thickest at the start
 * @param sessionTimeout after which an admitted visitor who vanished loses their place
 * @param shortestStay of an admitted visitor who finishes
 * @param censuses times at which the room is paused and everyone waiting is asked their rank
 * @param seed of everything random
 */
public record OnSalePlan(
    String room,
    int visitors,
    int capacity,
    Duration arrival,
    Duration sessionTimeout,
    Duration shortestStay,
    Duration longestStay,
    int censuses,
    Duration limit,
    long seed) {}
