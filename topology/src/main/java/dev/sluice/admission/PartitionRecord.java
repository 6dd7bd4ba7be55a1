package dev.sluice.admission;

/**
 * What is kept of a partition as a whole.
 *
 * @param appliedOffset of the last command applied, -1 for none
 * @param time machine time in milliseconds
 * @param skew what append times are ahead of machine time, in milliseconds
 * @param rulesVersion rules in force
 * @param configured whether a CONFIGURE has come
 */
public record PartitionRecord(
    long appliedOffset, long time, long skew, int rulesVersion, boolean configured) {
  /** Of a partition whose first command is still to come. */
  public static final PartitionRecord FRESH = new PartitionRecord(-1, 0, 0, 1, false);

  PartitionRecord asConfigured() {
    return new PartitionRecord(appliedOffset, time, skew, rulesVersion, true);
  }

  PartitionRecord withRulesAtLeast(int version) {
    return new PartitionRecord(
        appliedOffset, time, skew, Math.max(rulesVersion, version), configured);
  }
}
