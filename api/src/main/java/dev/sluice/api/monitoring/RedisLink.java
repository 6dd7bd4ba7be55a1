package dev.sluice.api.monitoring;

/** How this process's marks of hot rooms in Redis stand. Thread-safe. */
public interface RedisLink {
  /** Whether Redis takes what it is told. */
  enum State {
    UP,
    /** It failed, and isn't asked but once a second. */
    DOWN,
    /** It is being asked whether it is back. */
    TRYING
  }

  State state();

  /** How late the marks are, in milliseconds; 0 when they are not. */
  long lagMillis();
}
