package dev.sluice.contract;

/** A record that doesn't say what its topic's contract asks; the message says what is wrong. */
public final class InvalidRecordException extends Exception {
  private static final long serialVersionUID = 1L;

  public InvalidRecordException(String message) {
    super(message);
  }
}
