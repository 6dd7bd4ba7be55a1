package dev.sluice.rooms;

/**
 * The rows of one partition, in the unsigned order of their keys, as they survive a crash. After
 * one each row is as it was at some time since the last commit, and not all at the same.
 */
public interface KeptRows {
  /** The value, or null. */
  byte[] get(byte[] key);

  void put(byte[] key, byte[] value);

  void delete(byte[] key);

  /**
   * Visits rows in order until the visitor has enough.
   *
   * @param from first key
   * @param to key before which it ends
   */
  void scan(byte[] from, byte[] to, Visitor visitor);

  /** Sees rows. */
  interface Visitor {
    /** Whether it wants to see more. */
    boolean visit(byte[] key, byte[] value);
  }
}
