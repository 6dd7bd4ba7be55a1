package dev.sluice.runtime;

/** The topology can't start; the message says why and what to do, for an operator to read. */
public final class StartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StartException(String message) {
    super(message);
  }

  public StartException(String message, Throwable cause) {
    super(message, cause);
  }
}
