package dev.sluice.notifier.stomp;

/** A client's frame that isn't STOMP 1.2, or over a limit; the message says what is wrong. */
public final class MalformedFrameException extends Exception {
  private static final long serialVersionUID = 1L;

  public MalformedFrameException(String message) {
    super(message, null, false, false);
  }
}
