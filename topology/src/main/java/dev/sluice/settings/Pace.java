package dev.sluice.settings;

/**
 * How fast people are admitted.
 *
 * @param intervalMicros least time between two admissions in microseconds, 0 without limit
 */
public record Pace(long intervalMicros) {
  public static final Pace UNLIMITED = new Pace(0);

  public boolean isUnlimited() {
    return intervalMicros == 0;
  }

  /** Admissions a second at most, 0 without limit. */
  public double perSecond() {
    return isUnlimited() ? 0 : 1_000_000.0 / intervalMicros;
  }
}
