package dev.sluice.broker;

/**
 * The broker could not start; the message says why in words meant for the person who started it.
 */
public final class BrokerStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Why it could not start. */
  public enum Reason {
    /** Someone else listens on the port. */
    PORT_TAKEN,
    /** The address is none of this machine's, or may not be bound. */
    ADDRESS_UNUSABLE,
    /** Another broker, of this process or another, works in the directory. */
    DIRECTORY_IN_USE,
    /** The directory can't be made, read or written. */
    DIRECTORY_UNUSABLE,
    /** Kafka itself gave up; the cause says more. */
    FAILED
  }

  BrokerStartException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
