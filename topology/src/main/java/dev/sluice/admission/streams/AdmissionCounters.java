package dev.sluice.admission.streams;

import dev.sluice.contract.Outcome;
import java.util.concurrent.atomic.LongAdder;

/** What the admission application has done since the process started. Thread-safe. */
public final class AdmissionCounters {
  private final LongAdder commands = new LongAdder();
  private final LongAdder invalid = new LongAdder();
  private final LongAdder outcomes = new LongAdder();
  private final LongAdder entered = new LongAdder();
  private final LongAdder admitted = new LongAdder();
  private final LongAdder completed = new LongAdder();
  private final LongAdder left = new LongAdder();
  private final LongAdder expired = new LongAdder();
  private final LongAdder rejected = new LongAdder();

  void command() {
    commands.increment();
  }

  void invalid() {
    invalid.increment();
  }

  void outcome(Outcome outcome) {
    outcomes.increment();
    if (outcome instanceof Outcome.PersonChanged person) {
      switch (person.status()) {
        case WAITING -> entered.increment();
        case ADMITTED -> admitted.increment();
        case COMPLETED -> completed.increment();
        case LEFT -> left.increment();
        case EXPIRED -> expired.increment();
      }
    } else if (outcome instanceof Outcome.Rejected) {
      rejected.increment();
    }
  }

  public long commands() {
    return commands.sum();
  }

  public long invalidRecords() {
    return invalid.sum();
  }

  public long outcomes() {
    return outcomes.sum();
  }

  public long entered() {
    return entered.sum();
  }

  public long admitted() {
    return admitted.sum();
  }

  public long completed() {
    return completed.sum();
  }

  public long left() {
    return left.sum();
  }

  public long expired() {
    return expired.sum();
  }

  public long rejected() {
    return rejected.sum();
  }
}
