package dev.sluice.bench.demo;

import java.time.Duration;

/**
 * How the on-sale stands this moment.
 *
 * @param arrived visitors who have come so far
 * @param waiting in the room, as the operator sees it
 * @param active in the room, as the operator sees it
 * @param admitted visitors who have heard that they are
 * @param gone visitors who want nothing more
 * @param enterP50 median time of an enter call so far, ms
 * @param enterP99 99th percentile of the same, ms
 * @param again calls sent again after a 429, 503, PENDING or a broken connection
 * @param refused calls answered with an error for good
 */
record Live(
    OnSale.Phase phase,
    Duration elapsed,
    int visitors,
    int capacity,
    int arrived,
    long waiting,
    long active,
    int admitted,
    int gone,
    double enterP50,
    double enterP99,
    int again,
    int refused) {}
