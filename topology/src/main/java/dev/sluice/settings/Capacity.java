package dev.sluice.settings;

/**
 * How many people may be active in a room.
 *
 * @param places 0 or more, or -1 for {@link #AUTO}
 */
public record Capacity(int places) {
  /** Instances x sessions-per-instance, at most max-sessions. */
  public static final Capacity AUTO = new Capacity(-1);

  public boolean isAuto() {
    return places < 0;
  }
}
