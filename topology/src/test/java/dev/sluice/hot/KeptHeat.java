package dev.sluice.hot;

import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.RoomSum;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A store in memory. */
final class KeptHeat implements HeatStore {
  private final Map<String, Runner> rows = new TreeMap<>();

  private interface Runner {
    void restore(HeatPartition to, long at);
  }

  @Override
  public void putSlot(
      String roomId, String producer, long slot, long baseTenth, List<RoomSum.Cell> cells) {
    rows.put(
        "S " + roomId + " " + producer + " " + slot,
        (to, at) -> to.restoreSlot(roomId, producer, slot, baseTenth, cells, at));
  }

  @Override
  public void deleteSlot(String roomId, String producer, long slot) {
    rows.remove("S " + roomId + " " + producer + " " + slot);
  }

  @Override
  public void putHot(HotVerdict verdict) {
    rows.put("H " + verdict.roomId(), (to, at) -> to.adopt(verdict));
  }

  @Override
  public void deleteHot(String roomId) {
    rows.remove("H " + roomId);
  }

  @Override
  public void putAudience(String roomId, String producer, int subscribers) {
    rows.put(
        "A " + roomId + " " + producer,
        (to, at) -> to.restoreAudience(roomId, producer, subscribers, at));
  }

  @Override
  public void deleteAudience(String roomId, String producer) {
    rows.remove("A " + roomId + " " + producer);
  }

  int size() {
    return rows.size();
  }

  void restoreTo(HeatPartition partition, long at) {
    rows.values().forEach(row -> row.restore(partition, at));
  }
}
