package dev.sluice.rooms;

import dev.sluice.contract.Membership;
import dev.sluice.streams.BinaryReader;
import dev.sluice.streams.BinaryWriter;

/**
 * Who is in the rooms of a partition, and how many: a row for each person and one for each count.
 *
 * <p>A person's row is right whatever state it comes back in, once the log has been read again: the
 * last join or leave decides. A count is right only as of its people, so counts are trusted only
 * after an end at which both were written; else they are made anew. One thread applies; any thread
 * reads counts.
 */
public final class Members {
  private static final byte[] PRESENT = {1};

  private final KeptRows kept;
  private final long opening;
  private final boolean countedAnew;

  /** Counts anew unless the last end was clean. */
  public Members(KeptRows kept) {
    this.kept = kept;
    long before = number(kept.get(opened()));
    boolean clean = before > 0 && number(kept.get(closed())) == before;
    // An end that is written late, by an owner before, carries another number.
    opening = before + 1;
    kept.put(opened(), encode(opening));
    kept.delete(closed());
    countedAnew = !clean;
    if (countedAnew) {
      recount();
    }
  }

  /** Whether the last end wasn't clean. */
  public boolean countedAnew() {
    return countedAnew;
  }

  private void recount() {
    kept.scan(
        new byte[] {RowKeys.MEMBERS},
        new byte[] {RowKeys.MEMBERS + 1},
        (key, value) -> {
          kept.delete(key);
          return true;
        });
    Recount recount = new Recount();
    kept.scan(new byte[] {RowKeys.MEMBER}, new byte[] {RowKeys.MEMBER + 1}, recount);
    recount.put();
  }

  /** The people of a room stand together. */
  private final class Recount implements KeptRows.Visitor {
    private String roomId = "";
    private long count;

    @Override
    public boolean visit(byte[] key, byte[] value) {
      String next = RowKeys.name(key, 1);
      if (!next.equals(roomId)) {
        put();
        roomId = next;
        count = 0;
      }
      count++;
      return true;
    }

    void put() {
      if (count > 0) {
        kept.put(countKey(roomId), encode(count));
      }
    }
  }

  /** Somebody comes or goes. */
  public void apply(Membership membership) {
    String roomId = membership.roomId();
    byte[] person = RowKeys.of(RowKeys.MEMBER, roomId).putAscii(membership.userId()).end();
    boolean present = kept.get(person) != null;
    if (membership.joins() && !present) {
      kept.put(person, PRESENT);
      kept.put(countKey(roomId), encode(count(roomId) + 1));
    } else if (!membership.joins() && present) {
      kept.delete(person);
      long left = count(roomId) - 1;
      if (left > 0) {
        kept.put(countKey(roomId), encode(left));
      } else {
        kept.delete(countKey(roomId));
      }
    }
  }

  /** How many are in a room. Any thread. */
  public long count(String roomId) {
    return number(kept.get(countKey(roomId)));
  }

  /** The end is clean: the counts are those of the people as they are kept. */
  public void close() {
    kept.put(closed(), encode(opening));
  }

  private static byte[] countKey(String roomId) {
    return RowKeys.of(RowKeys.MEMBERS, roomId).end();
  }

  private static byte[] opened() {
    return new byte[] {RowKeys.OPENED};
  }

  private static byte[] closed() {
    return new byte[] {RowKeys.CLOSED};
  }

  private static byte[] encode(long number) {
    return new BinaryWriter(16).put(number).end();
  }

  private static long number(byte[] value) {
    return value == null ? 0 : new BinaryReader(value).getLong();
  }
}
