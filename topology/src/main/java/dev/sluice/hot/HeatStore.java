package dev.sluice.hot;

import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.RoomSum;
import java.util.List;

/** Where the state of a partition's rooms is kept between runs. */
public interface HeatStore {
  /**
   * Keeps what is known of one sum.
   *
   * @param baseTenth when its slot began, in tenths of a second since the epoch
   */
  void putSlot(String roomId, String producer, long slot, long baseTenth, List<RoomSum.Cell> cells);

  void deleteSlot(String roomId, String producer, long slot);

  /** Keeps the last verdict on a room that is hot. */
  void putHot(HotVerdict verdict);

  void deleteHot(String roomId);

  /** Keeps how many connections of a notifier are subscribed to a room. */
  void putAudience(String roomId, String producer, int subscribers);

  void deleteAudience(String roomId, String producer);
}
