package dev.sluice.contract;

import java.util.Comparator;

/**
 * Orders what is known of a person: the position in {@code sluice.entries} of the command that
 * caused a change, and the index of the change among those of that command. Written {@code
 * partition:offset:index}. Of two versions of one person the one with the higher offset, then
 * index, is newer.
 */
public record Version(int partition, long offset, int index) implements Comparable<Version> {
  private static final Comparator<Version> ORDER =
      Comparator.comparingLong(Version::offset).thenComparingInt(Version::index);

  /**
   * Reads {@code partition:offset:index}.
   *
   * @throws IllegalArgumentException if {@code text} is anything else
   */
  public static Version parse(String text) {
    String[] parts = text.split(":", -1);
    if (parts.length != 3) {
      throw new IllegalArgumentException("not a version: " + text);
    }
    try {
      return new Version(
          Integer.parseInt(parts[0]), Long.parseLong(parts[1]), Integer.parseInt(parts[2]));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a version: " + text, e);
    }
  }

  public boolean isNewerThan(Version other) {
    return compareTo(other) > 0;
  }

  @Override
  public int compareTo(Version other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return partition + ":" + offset + ":" + index;
  }
}
