package dev.sluice.contract;

import java.util.List;

/**
 * What one producer has counted in a room in one second so far. Sums are cumulative: of two sums of
 * one producer, slot, country, app and kind the greater one counts, tenth by tenth, so that a
 * repeated or overtaken sum changes nothing.
 *
 * @param producer this incarnation of whoever counted; another one never uses the name
 * @param slot second since the epoch by the producer's clock; only a name, which nobody believes to
 *     be the time
 * @param ageMillis how long ago the slot began when the sum was sent. The time of the record less
 *     this is when the slot was
 */
public record RoomSum(String roomId, String producer, long slot, long ageMillis, List<Cell> cells)
    implements RoomCount {
  /** Parts of a second that are counted apart. */
  public static final int TENTHS = 10;

  /**
   * Events of one kind, from one country, by one app.
   *
   * @param country or null
   * @param app or null
   * @param counts of each tenth of the second; those at the end may be missing
   */
  public record Cell(EventKind kind, String country, String app, List<Long> counts) {
    public Cell {
      counts = List.copyOf(counts);
    }

    /** Of all tenths. */
    public long total() {
      return counts.stream().mapToLong(Long::longValue).sum();
    }
  }

  public RoomSum {
    cells = List.copyOf(cells);
  }
}
