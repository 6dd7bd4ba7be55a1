package dev.sluice.bench.demo;

import dev.sluice.contract.Version;
import java.util.Set;

/**
 * What was seen of one visitor from outside, from entry to the roll-call at the end.
 *
 * @param acknowledged whether an entry was answered with WAITING or ADMITTED
 * @param ticket the first one heard
 * @param otherTickets times that a different ticket was heard
 * @param rankRises times that a rank was higher than the one before
 * @param olderAnswers times that an answer was older than one before
 * @param admittedBy version of the first body that said ADMITTED, or null if none was seen
 * @param lastVersion the newest heard, at the roll-call if known there; null when the end was not
 *     seen
 * @param lastStatus last heard before the roll-call
 * @param finalStatus heard at the roll-call: a status, or {@link #UNKNOWN}
 */
record Stay(
    String id,
    boolean acknowledged,
    long ticket,
    int otherTickets,
    int rankRises,
    int olderAnswers,
    Version admittedBy,
    Version lastVersion,
    String lastStatus,
    String finalStatus) {
  /** The roll-call found nobody of that name. */
  static final String UNKNOWN = "UNKNOWN";

  private static final Set<String> ENDS = Set.of("COMPLETED", "LEFT", "EXPIRED");

  /** The same of a place that expired without anyone looking. */
  Stay endedUnseen() {
    return new Stay(
        id,
        acknowledged,
        ticket,
        otherTickets,
        rankRises,
        olderAnswers,
        admittedBy,
        null,
        lastStatus,
        "EXPIRED");
  }

  boolean hasEnded() {
    return ENDS.contains(finalStatus);
  }

  /** Whether the visitor had been told of another end than the roll-call says. */
  boolean isContradicted() {
    return ENDS.contains(lastStatus) && !lastStatus.equals(finalStatus);
  }
}
