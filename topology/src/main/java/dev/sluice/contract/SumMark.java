package dev.sluice.contract;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Says of a record in {@code sluice.room-events} which sum of which producer holds it, so that
 * whoever sums it again sums it under the same name, where it can't count twice. It stands in the
 * record's header {@link #HEADER} as {@code producer/tenth}.
 *
 * @param producer this incarnation of the edge
 * @param tenth of a second since the epoch, by the edge's clock
 */
public record SumMark(String producer, long tenth) {
  /** Name of the header. */
  public static final String HEADER = "sluice-summed";

  /** The second of {@link #tenth}, which is the slot of the sum. */
  public long slot() {
    return Math.floorDiv(tenth, RoomSum.TENTHS);
  }

  /** The value of the header. */
  public byte[] toHeader() {
    return (producer + "/" + tenth).getBytes(US_ASCII);
  }

  /** Reads the value of the header; null if it is none. */
  public static SumMark fromHeader(byte[] value) {
    if (value == null || value.length > 200) {
      return null;
    }
    String text = new String(value, US_ASCII);
    int slash = text.lastIndexOf('/');
    if (slash < 0 || !Ids.isValid(text.substring(0, slash))) {
      return null;
    }
    try {
      return new SumMark(text.substring(0, slash), Long.parseLong(text.substring(slash + 1)));
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
