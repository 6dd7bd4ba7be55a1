package dev.sluice.standalone;

/** Sluice will not start as it was asked to; the message tells the person who asked why. */
public final class StartRefusal extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StartRefusal(String message) {
    super(message);
  }

  StartRefusal(String message, Throwable cause) {
    super(message, cause);
  }
}
