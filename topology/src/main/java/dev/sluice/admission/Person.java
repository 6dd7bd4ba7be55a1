package dev.sluice.admission;

import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Version;

/**
 * One stay of someone in a room, from entering to the end. Immutable; times are machine time in
 * milliseconds, except those of the receipt.
 *
 * @param session hash of the session that owns the person
 * @param ticket place in the order of entering, from 1
 * @param expiresAt when an ADMITTED place ends if not renewed; else 0
 * @param hardEnd beyond which an ADMITTED place isn't renewed; else 0
 * @param endedAt when the stay ended; 0 while it is live
 * @param reason why it EXPIRED, else null
 * @param receipt of the entry
 * @param version of the last change
 */
public record Person(
    String roomId,
    String requestId,
    String session,
    PersonStatus status,
    long ticket,
    long expiresAt,
    long hardEnd,
    long endedAt,
    String reason,
    Receipt receipt,
    Version version) {

  static Person waiting(
      String roomId, String requestId, String session, long ticket, Receipt receipt, Version v) {
    return new Person(
        roomId, requestId, session, PersonStatus.WAITING, ticket, 0, 0, 0, null, receipt, v);
  }

  Person admitted(long until, long atMost, Version changed) {
    return new Person(
        roomId,
        requestId,
        session,
        PersonStatus.ADMITTED,
        ticket,
        until,
        atMost,
        0,
        null,
        receipt,
        changed);
  }

  Person renewed(long until, Version changed) {
    return admitted(until, hardEnd, changed);
  }

  Person ended(PersonStatus how, String why, long at, Version changed) {
    return new Person(roomId, requestId, session, how, ticket, 0, 0, at, why, receipt, changed);
  }

  boolean isWaiting() {
    return status == PersonStatus.WAITING;
  }

  boolean isActive() {
    return status == PersonStatus.ADMITTED;
  }
}
