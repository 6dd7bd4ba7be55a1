package dev.sluice.notifier.push;

import dev.sluice.contract.Audience;
import dev.sluice.notifier.routing.RoutingTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Tells the owners of rooms how many connections follow each: on change, at most once a second a
 * room, and all again every ten seconds, each room in its own tenth of a second; 0 once when the
 * last has gone. {@link #run} and {@link #end} are called by one thread, which may block.
 */
public final class AudienceReports {
  /** How often {@link #run} is called. */
  public static final Duration PERIOD = Duration.ofMillis(100);

  private static final int PERIODS_TO_REPEAT = 100;
  private static final long BETWEEN_CHANGES = Duration.ofSeconds(1).toNanos();

  private final String producer;
  private final RoutingTable table;
  private final AudienceWriter writer;
  private final LongSupplier nanos;

  private final Set<String> changed = ConcurrentHashMap.newKeySet();
  private final Map<String, Report> reports = new HashMap<>();
  private final List<Set<String>> repeats = new ArrayList<>();
  private int turn;

  private record Report(int subscribers, long at) {}

  /**
   * @param producer this incarnation of the notifier: a name that no other ever has
   * @param nanos a clock that only goes forward, in nanoseconds
   */
  public AudienceReports(
      String producer, RoutingTable table, AudienceWriter writer, LongSupplier nanos) {
    this.producer = producer;
    this.table = table;
    this.writer = writer;
    this.nanos = nanos;
    for (int i = 0; i < PERIODS_TO_REPEAT; i++) {
      repeats.add(new HashSet<>());
    }
  }

  /** Hears of each change from now on. */
  public void begin() {
    table.onAudience(changed::add);
  }

  /** Reports what has changed, and the rooms whose turn it is. */
  public void run() {
    long now = nanos.getAsLong();
    for (String roomId : List.copyOf(changed)) {
      Report last = reports.get(roomId);
      if (last == null || now - last.at() >= BETWEEN_CHANGES) {
        // Before it is counted, so that a change in between isn't lost.
        changed.remove(roomId);
        if (last == null || last.subscribers() != table.audience(roomId)) {
          report(roomId, last, now);
        } else if (last.subscribers() == 0) {
          forget(roomId);
        }
      }
    }
    turn = (turn + 1) % PERIODS_TO_REPEAT;
    for (String roomId : repeats.get(turn)) {
      Report last = reports.get(roomId);
      if (last.subscribers() > 0 && now - last.at() >= BETWEEN_CHANGES) {
        report(roomId, last, now);
      }
    }
  }

  private void report(String roomId, Report last, long now) {
    int subscribers = table.audience(roomId);
    if (last == null && subscribers == 0) {
      return;
    }
    reports.put(roomId, new Report(subscribers, now));
    repeats.get(turnOf(roomId)).add(roomId);
    if (subscribers == 0) {
      // Kept for a second, then looked at once more and forgotten.
      changed.add(roomId);
    }
    writer.write(new Audience(roomId, producer, subscribers));
  }

  private void forget(String roomId) {
    reports.remove(roomId);
    repeats.get(turnOf(roomId)).remove(roomId);
  }

  private static int turnOf(String roomId) {
    return Math.floorMod(roomId.hashCode(), PERIODS_TO_REPEAT);
  }

  /** Says that nobody is left in any room. */
  public void end() {
    reports.forEach(
        (roomId, last) -> {
          if (last.subscribers() > 0) {
            writer.write(new Audience(roomId, producer, 0));
          }
        });
    reports.clear();
  }
}
