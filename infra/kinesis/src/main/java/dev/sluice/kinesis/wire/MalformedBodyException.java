package dev.sluice.kinesis.wire;

/** A body isn't of its format. Carries no stack. */
public final class MalformedBodyException extends Exception {
  private static final long serialVersionUID = 1L;

  MalformedBodyException(String message) {
    super(message, null, false, false);
  }
}
