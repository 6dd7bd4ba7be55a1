package dev.sluice.contract;

/** What happens in a room and is counted. */
public enum EventKind {
  /** Somebody says something; it is pushed to the room and can be fetched. */
  MESSAGE,
  /** Somebody reads what has been said. */
  FETCH,
  /** Somebody comes in. */
  JOIN
}
