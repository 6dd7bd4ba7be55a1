package dev.sluice.query;

import dev.sluice.contract.RoomState;

/**
 * A room as one consistent state saw it.
 *
 * @param offset of the last command its partition had applied
 * @param configured whether its partition has received settings; until then nobody is admitted
 * @param pacePerSecond admissions a second at most, 0 without limit; may be a fraction
 * @param nextTicket the ticket the next person gets
 * @param admittedLastMinute people admitted in the last minute
 */
public record RoomView(
    String roomId,
    int partition,
    long offset,
    boolean configured,
    RoomState state,
    int capacity,
    double pacePerSecond,
    long waiting,
    long active,
    long nextTicket,
    long admittedLastMinute) {}
