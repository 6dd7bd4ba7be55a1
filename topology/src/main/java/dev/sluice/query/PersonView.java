package dev.sluice.query;

import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Version;

/**
 * A person as one consistent state saw them.
 *
 * @param session hash of the session that owns the person
 * @param rank 1-based among those waiting; 0 unless WAITING
 * @param totalWaiting people waiting in the room
 * @param estimatedWaitSeconds -1 while unknown, or when not waiting
 * @param expiresAt end of an ADMITTED place if not renewed, milliseconds since the epoch; else 0
 * @param reason why EXPIRED, else null
 * @param receipt of the entry that counts
 */
public record PersonView(
    String roomId,
    String requestId,
    String session,
    PersonStatus status,
    long ticket,
    long rank,
    long totalWaiting,
    long estimatedWaitSeconds,
    long expiresAt,
    String reason,
    Receipt receipt,
    Version version) {}
