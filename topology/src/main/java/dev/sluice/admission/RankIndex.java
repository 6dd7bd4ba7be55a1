package dev.sluice.admission;

/** Placeholder for the build of its neighbours. */
public final class RankIndex {
  private RankIndex() {}
}
