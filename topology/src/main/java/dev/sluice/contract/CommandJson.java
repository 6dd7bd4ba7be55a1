package dev.sluice.contract;

/**
 * Commands as JSON, the values of {@code sluice.entries}. The room is the record's key and not in
 * the value. Thread-safe.
 */
public final class CommandJson {
  /** Most settings one {@link Command.Configure} may carry. */
  public static final int MAX_SETTINGS = 100;

  private CommandJson() {}

  public static byte[] write(Command command) {
    return command.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  /**
   * @param key of the record, null for a command of a whole partition
   * @throws InvalidRecordException if it is not a command that this program knows
   */
  public static Command read(String key, byte[] value) throws InvalidRecordException {
    if (value.length > 0) {
      throw new InvalidRecordException("not yet: " + key);
    }
    return null;
  }
}
