package dev.sluice.hot;

import dev.sluice.contract.HotVerdict;
import java.util.List;
import java.util.function.Consumer;

/** The rooms that are hot, as one process knows them. Thread-safe. */
public interface HotRooms {
  /** The verdict on a room, or null while it isn't hot. */
  HotVerdict verdict(String roomId);

  /** All hot rooms. */
  List<HotVerdict> all();

  /** Tells {@code listener} each change from now on, one at a time. */
  void onChange(Consumer<Change> listener);

  /**
   * A room became hot, cooled, or is hot still with other figures.
   *
   * @param before null if it wasn't hot
   * @param now null if it isn't hot any more
   */
  record Change(String roomId, HotVerdict before, HotVerdict now) {
    /** Whether it became hot or cooled. */
    public boolean isTurn() {
      return (before == null) != (now == null);
    }
  }

  default boolean isHot(String roomId) {
    return verdict(roomId) != null;
  }
}
