package dev.sluice.contract;

/** Who may enter a room and who is admitted. Admitted people keep their place in every state. */
public enum RoomState {
  /** Anyone may enter; people are admitted as places free up. */
  OPEN,
  /** People may enter and wait; nobody is admitted. */
  PAUSED,
  /** Nobody new may enter; those waiting are admitted as usual. */
  DRAINING,
  /** Nobody enters and everyone waiting expires. */
  CLOSED;

  public boolean acceptsEntries() {
    return this == OPEN || this == PAUSED;
  }

  public boolean admits() {
    return this == OPEN || this == DRAINING;
  }
}
