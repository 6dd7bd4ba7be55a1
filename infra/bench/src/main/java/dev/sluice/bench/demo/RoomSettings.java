package dev.sluice.bench.demo;

import dev.sluice.bench.Blocking;
import dev.sluice.bench.SluiceApi;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Settings of one room for the length of the demo, unset at its end and on Ctrl-C. */
final class RoomSettings implements AutoCloseable {
  private final SluiceApi api;
  private final String room;
  private final Set<String> set = new LinkedHashSet<>();
  private final Thread atExit = new Thread(this::unset, "settings-at-exit");

  /**
   * @param alsoSet keys that are set past this, and are to be unset as well
   */
  RoomSettings(SluiceApi api, String room, String... alsoSet) {
    this.api = api;
    this.room = room;
    set.addAll(List.of(alsoSet));
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  void put(String key, String json) throws IOException {
    set.add(key);
    Blocking.Answer answer = Blocking.call(api.server(), api.putSetting(key, room, json));
    if (!answer.isGood()) {
      throw new DemoFailure(
          answer.status() == 401
              ? "This Sluice wants a token: set SLUICE_ADMIN_TOKEN."
              : "Setting " + key + " was refused: " + answer.body());
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // The process is ending and the hook runs already.
      return;
    }
    unset();
  }

  private void unset() {
    for (String key : set) {
      try {
        Blocking.call(api.server(), api.deleteSetting(key, room));
      } catch (IOException e) {
        // Sluice is gone, and the room's settings are all that stays.
        return;
      }
    }
  }
}
