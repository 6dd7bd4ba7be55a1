package dev.sluice.api.admission;

import dev.sluice.api.problem.Problem;
import dev.sluice.contract.Receipt;
import dev.sluice.query.PersonView;

/** How an admission call ended, before it is put into bytes. */
sealed interface Reply {
  /** The HTTP status it is answered with. */
  int status();

  /** The person as they stand now. */
  record Found(int status, PersonView person) implements Reply {}

  /**
   * The command is in the log, or may be, and what it did isn't known yet.
   *
   * @param partition where it went
   * @param receipt what is known of its place in the log, or null
   */
  record Pending(int status, PersonName name, int partition, Receipt receipt) implements Reply {}

  /** Nothing was done, and why. */
  record Refused(Problem problem) implements Reply {
    @Override
    public int status() {
      return problem.status();
    }
  }
}
