package dev.sluice.log;

/** A record could not be written in time, or not for sure. */
public final class LogUnavailableException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean mayBeStored;

  public LogUnavailableException(boolean mayBeStored, String message, Throwable cause) {
    super(message, cause);
    this.mayBeStored = mayBeStored;
  }

  /** Whether the record may be in the log all the same; false: it was never sent. */
  public boolean mayBeStored() {
    return mayBeStored;
  }
}
