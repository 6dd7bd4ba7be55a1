package dev.sluice.contract;

/** Outcomes as JSON, the values of {@code sluice.outcomes}. Thread-safe. */
public final class OutcomeJson {
  private OutcomeJson() {}

  public static byte[] write(Outcome outcome) {
    return outcome.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  /**
   * @throws InvalidRecordException if it is not an outcome that this program knows
   */
  public static Outcome read(String key, byte[] value) throws InvalidRecordException {
    if (value.length > 0) {
      throw new InvalidRecordException("not yet: " + key);
    }
    return null;
  }
}
