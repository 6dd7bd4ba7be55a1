package dev.sluice.admission;

/**
 * What is kept of a room besides its people. Times are machine time.
 *
 * @param nextTicket the ticket the next person gets, from 1
 * @param paceNextMicros the next admission isn't before, in microseconds
 * @param closeThrough those waiting with this ticket or a lower one are to expire; 0 for none
 * @param progressAt last progress outcome, in milliseconds
 * @param progressOwed whether something has changed since
 * @param admitted people admitted, by second
 * @param outflow those of them who had waited, by second
 */
public record RoomRecord(
    String roomId,
    long nextTicket,
    long paceNextMicros,
    long closeThrough,
    long progressAt,
    boolean progressOwed,
    Flow admitted,
    Flow outflow) {}
