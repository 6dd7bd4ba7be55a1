package dev.sluice.contract;

/** Where a person stands in a room. */
public enum PersonStatus {
  WAITING,
  ADMITTED,
  COMPLETED,
  LEFT,
  EXPIRED;

  /** Holds a place: waiting or active. */
  public boolean isLive() {
    return this == WAITING || this == ADMITTED;
  }
}
