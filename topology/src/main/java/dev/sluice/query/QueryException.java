package dev.sluice.query;

/** There is no sure answer; {@link #kind} says why and whether asking again can help. */
public final class QueryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Kind kind;

  /** Why a query has no answer. */
  public enum Kind {
    /** The partition moves between owners. */
    MOVING,
    /** The owner hasn't applied what it must before answering. */
    BEHIND,
    /** No answer before the deadline; the command may yet be applied. */
    TIMED_OUT,
    /** The owner can't be reached. */
    UNREACHABLE,
    /** Too many callers wait already. */
    OVERLOADED,
    /** The partition is halted until an operator acts. */
    HALTED;

    /** Whether the same question may be answered soon. */
    public boolean isRetryable() {
      return this != HALTED;
    }
  }

  public QueryException(Kind kind, String message) {
    super(message, null, false, false);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
