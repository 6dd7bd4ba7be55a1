package dev.sluice.kinesis.shard;

/**
 * A part of a stream: the records of a range of hash keys, which stand in one partition between two
 * offsets. Other shards may have stood there before, and others follow; each record says in a
 * header which it belongs to.
 *
 * @param number unique within the stream, growing
 * @param parent number of the shard it was split from, or the first of the two merged; {@link
 *     #NONE} for one of the stream's first
 * @param adjacentParent number of the second shard merged, or {@link #NONE}
 * @param createdSeconds since the epoch; later than any parent's, so that sequence numbers grow
 * @param start offset before which none of its records stand
 * @param end offset of the marker behind its last record; {@link #NONE} until it is closed
 * @param closedAt in milliseconds since the epoch; {@link #NONE} until it is closed
 */
public record Shard(
    int number,
    HashRange range,
    int parent,
    int adjacentParent,
    long createdSeconds,
    int partition,
    long start,
    long end,
    State state,
    long closedAt) {
  public static final int NONE = -1;

  private static final String PREFIX = "shardId-";
  private static final int DIGITS = 12;

  /** Where it is in its life. */
  public enum State {
    /** Takes records. */
    OPEN,
    /** About to end: who has put a record waits to hear whether it is still part of it. */
    CLOSING,
    /** Takes no more records. */
    CLOSED
  }

  static Shard open(
      int number,
      HashRange range,
      int parent,
      int adjacentParent,
      long createdSeconds,
      int partition,
      long start) {
    return new Shard(
        number,
        range,
        parent,
        adjacentParent,
        createdSeconds,
        partition,
        start,
        NONE,
        State.OPEN,
        NONE);
  }

  /** As requests and answers name the shard of a number. */
  public static String id(int number) {
    String digits = Integer.toString(number);
    return PREFIX + "0".repeat(DIGITS - digits.length()) + digits;
  }

  /** The number in an id, or {@link #NONE} if it isn't one. */
  public static int number(String id) {
    if (!id.matches(PREFIX + "[0-9]{" + DIGITS + "}")) {
      return NONE;
    }
    long number = Long.parseLong(id.substring(PREFIX.length()));
    return number <= Integer.MAX_VALUE ? (int) number : NONE;
  }

  public String id() {
    return id(number);
  }

  public boolean isClosed() {
    return state == State.CLOSED;
  }

  /** Before all its records. */
  public SequenceNumber startingSequenceNumber() {
    return new SequenceNumber(createdSeconds, 0, createdSeconds, number);
  }

  /** Behind all its records; null until it is closed. */
  public SequenceNumber endingSequenceNumber() {
    return isClosed()
        ? new SequenceNumber(createdSeconds, SequenceNumber.LAST_INDEX, closedAt / 1_000, number)
        : null;
  }

  /** Whether a number can name a record of this shard. */
  public boolean has(SequenceNumber record) {
    return record.shard() == number && record.createdSeconds() == createdSeconds;
  }

  /** The offset of the record that a number names, or of the first if it names the beginning. */
  public long offset(SequenceNumber record) {
    return within(record.index() - 1);
  }

  /** The offset behind the record that a number names. */
  public long offsetAfter(SequenceNumber record) {
    return within(record.index());
  }

  /** An offset, or the nearest that the shard has; its end counts. */
  public long within(long offset) {
    return Math.max(start, isClosed() ? Math.min(offset, end) : offset);
  }

  boolean isChildOf(Shard other) {
    return parent == other.number || adjacentParent == other.number;
  }

  Shard closing() {
    return in(State.CLOSING, NONE, NONE);
  }

  Shard closed(long marker, long now) {
    return in(State.CLOSED, marker, now);
  }

  private Shard in(State next, long marker, long at) {
    return new Shard(
        number, range, parent, adjacentParent, createdSeconds, partition, start, marker, next, at);
  }
}
