package dev.sluice.settings;

/** How the pushes of a hot room are thinned out. */
public enum HotMode {
  /** At most one an interval. */
  INTERVAL,
  /** Each with a probability. */
  PROBABILITY
}
