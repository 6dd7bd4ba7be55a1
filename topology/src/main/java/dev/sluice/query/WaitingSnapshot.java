package dev.sluice.query;

import dev.sluice.admission.RankIndex;

/**
 * Who waits in a room, immutable. A ticket's rank is {@code waiting().rank(ticket)}.
 *
 * @param offset of the last command it reflects
 * @param outflowPerMinute people leaving the head of the queue in a minute by the last one, -1
 *     while unknown; the wait for rank r is {@code 60 r / outflowPerMinute} seconds
 */
public record WaitingSnapshot(
    RoomView room, RankIndex waiting, long offset, double outflowPerMinute) {}
