package dev.sluice.api.admin;

import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemType;
import dev.sluice.log.LogUnavailableException;
import java.util.concurrent.CompletionException;

/** What is said when the log didn't take a record of an operator. */
final class LogFailures {
  private LogFailures() {}

  static Throwable causeOf(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** Returns only if the record may have been stored all the same. */
  static void throwUnlessMaybeStored(Throwable failure, String whenNotStored) {
    Throwable cause = causeOf(failure);
    if (!(cause instanceof LogUnavailableException away)) {
      throw new CompletionException(cause);
    }
    if (!away.mayBeStored()) {
      throw Problem.passing(ProblemType.LOG_AWAY, whenNotStored, 2).asException();
    }
  }
}
