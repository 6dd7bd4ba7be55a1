package dev.sluice.redis;

/** Redis didn't do what it was asked, or wasn't asked since it failed a moment ago. */
public final class RedisUnavailableException extends Exception {
  private static final long serialVersionUID = 1L;

  RedisUnavailableException(String message, Throwable cause) {
    super(message, cause, false, false);
  }
}
