package dev.sluice.redis;

import dev.sluice.contract.HotVerdict;
import dev.sluice.hot.HotRooms;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Rooms that are hot when the test says so. */
final class FakeHotRooms implements HotRooms {
  private final Map<String, HotVerdict> verdicts = new ConcurrentHashMap<>();
  private final List<Consumer<Change>> listeners = new CopyOnWriteArrayList<>();

  void turnHot(String roomId, long rate, long since) {
    HotVerdict now = new HotVerdict(roomId, HotVerdict.ROOM, rate, 5_000, 5, since, since);
    tell(new Change(roomId, verdicts.put(roomId, now), now));
  }

  void cool(String roomId) {
    tell(new Change(roomId, verdicts.remove(roomId), null));
  }

  private void tell(Change change) {
    listeners.forEach(listener -> listener.accept(change));
  }

  @Override
  public HotVerdict verdict(String roomId) {
    return verdicts.get(roomId);
  }

  @Override
  public List<HotVerdict> all() {
    return List.copyOf(verdicts.values());
  }

  @Override
  public void onChange(Consumer<Change> listener) {
    listeners.add(listener);
  }
}
