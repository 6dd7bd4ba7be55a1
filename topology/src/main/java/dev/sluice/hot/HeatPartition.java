package dev.sluice.hot;

import dev.sluice.contract.Audience;
import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.RoomCount;
import dev.sluice.contract.RoomSum;
import dev.sluice.query.RoomHeat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The rooms of one partition of {@code sluice.room-counts}: takes sums and audiences in, gives
 * verdicts out. Whatever it is told twice, or in another order, it knows the same in the end. Not
 * thread-safe.
 *
 * <p>All times given to it are milliseconds by a clock of this process that never steps; what they
 * are by the broker's clock is found from the append times of the records.
 */
public final class HeatPartition {
  /** How far back what came late is still known from what came twice. */
  private static final long REMEMBERED_BEYOND_WINDOWS_TENTHS = 100;

  private static final long FORGET_EVERY_MILLIS = 1_000;
  private static final int RECENT_DECISIONS = 128;
  private static final long NONE = Long.MIN_VALUE;

  /** How often the verdict on a room that stays hot is given anew. */
  static final long RENEW_MILLIS = 2_000;

  private final int maxRooms;
  private final Consumer<Decision> decisions;
  private final BrokerClock clock = new BrokerClock();

  private final Map<String, HotRoom> rooms = new HashMap<>();

  /** The same; the one of which nothing was said for longest comes first. */
  private final Map<String, HotRoom> byLastSaid = new LinkedHashMap<>(16, 0.75f, true);

  private final Map<String, HotRoom> hot = new TreeMap<>();
  private final Map<String, Long> renewedAt = new HashMap<>();

  /** Rooms with events in a tenth that has yet to begin; nothing else may make them be judged. */
  private final Set<HotRoom> early = new HashSet<>();

  private final Set<String> changedRooms = new HashSet<>();
  private final Set<String> changedVerdicts = new HashSet<>();
  private final Set<String> changedAudiences = new HashSet<>();
  private final Map<String, List<String>> goneAudiences = new HashMap<>();
  private final List<HotRoom> goneRooms = new ArrayList<>();
  private HotRules rules;
  private final long[] decisionMillis = new long[RECENT_DECISIONS];
  private long decided;
  private long causedAt = NONE;
  private long forgotAt = NONE;
  private long late;
  private long ahead;
  private long beyond;
  private long shed;

  /**
   * What has been decided of a room.
   *
   * @param verdict null when it has cooled
   * @param isTurn whether it has become hot or cooled; else the verdict is renewed
   */
  public record Decision(String roomId, HotVerdict verdict, boolean isTurn) {}

  /**
   * @param maxRooms that are counted at once; of more, those that heard nothing for longest are
   *     forgotten early
   * @param decisions told at once, while the cause is still being applied
   */
  public HeatPartition(int maxRooms, Consumer<Decision> decisions) {
    this.maxRooms = maxRooms;
    this.decisions = decisions;
  }

  /** The rules in force from now on; before the first nothing is judged. */
  public void judgeBy(HotRules inForce, long steady) {
    boolean changed = rules != inForce;
    rules = inForce;
    if (changed) {
      for (HotRoom room : List.copyOf(rooms.values())) {
        judge(room, clock.now(steady));
      }
    }
  }

  /**
   * Takes what was said of a room.
   *
   * @param appended when, by the broker
   */
  public void apply(RoomCount count, long appended, long steady) {
    boolean sane = clock.observe(appended, steady);
    if (count instanceof Audience said) {
      apply(said, clock.now(steady));
    } else {
      apply((RoomSum) count, appended, sane, clock.now(steady));
    }
  }

  private void apply(Audience said, long now) {
    if (said.subscribers() > 0 || rooms.containsKey(said.roomId())) {
      room(said.roomId()).report(said.producer(), said.subscribers(), now);
      if (said.subscribers() == 0) {
        goneAudiences.computeIfAbsent(said.roomId(), id -> new ArrayList<>()).add(said.producer());
      } else {
        changedAudiences.add(said.roomId());
      }
    }
  }

  private void apply(RoomSum sum, long appended, boolean sane, long now) {
    long began = appended - sum.ageMillis();
    if (!sane || began > now + BrokerClock.TOLERANCE_MILLIS) {
      ahead += total(sum);
      return;
    }
    long baseTenth = Math.floorDiv(began + 50, 100);
    long oldest = oldest(now);
    if (baseTenth + RoomSum.TENTHS <= oldest - REMEMBERED_BEYOND_WINDOWS_TENTHS) {
      late += total(sum);
      return;
    }
    HotRoom room = room(sum.roomId());
    RoomWindow.Uncounted uncounted = room.window.apply(sum, baseTenth, oldest);
    late += uncounted.late();
    beyond += uncounted.beyond();
    changedRooms.add(sum.roomId());
    causedAt = appended;
    judge(room, now);
    causedAt = NONE;
    if (room.window.reachesBeyond(HotRoom.tenth(now))) {
      early.add(room);
    }
  }

  private static long total(RoomSum sum) {
    return sum.cells().stream().mapToLong(RoomSum.Cell::total).sum();
  }

  private HotRoom room(String roomId) {
    HotRoom known = byLastSaid.get(roomId);
    if (known != null) {
      return known;
    }
    HotRoom room = new HotRoom(roomId);
    rooms.put(roomId, room);
    byLastSaid.put(roomId, room);
    if (rooms.size() > maxRooms) {
      shedOne(room);
    }
    return room;
  }

  private void shedOne(HotRoom spared) {
    for (HotRoom eldest : byLastSaid.values()) {
      if (!eldest.isHot() && eldest != spared) {
        shed++;
        remove(eldest);
        return;
      }
    }
  }

  private void remove(HotRoom room) {
    rooms.remove(room.id);
    byLastSaid.remove(room.id);
    early.remove(room);
    changedRooms.remove(room.id);
    changedAudiences.remove(room.id);
    goneRooms.add(room);
  }

  private void judge(HotRoom room, long now) {
    if (rules == null) {
      return;
    }
    if (room.judge(rules, now)) {
      if (room.isHot()) {
        hot.put(room.id, room);
      } else {
        hot.remove(room.id);
        renewedAt.remove(room.id);
      }
      decide(room, true, now);
    }
  }

  private void decide(HotRoom room, boolean isTurn, long now) {
    changedVerdicts.add(room.id);
    if (room.isHot()) {
      renewedAt.put(room.id, now);
    }
    if (isTurn && causedAt != NONE) {
      decisionMillis[(int) (decided++ % RECENT_DECISIONS)] = Math.max(0, now - causedAt);
    }
    decisions.accept(new Decision(room.id, room.verdict(), isTurn));
  }

  /**
   * Lets time pass: what came early is judged, rooms cool, verdicts are renewed, the past is
   * forgotten.
   */
  public void tick(long steady) {
    long now = clock.now(steady);
    for (HotRoom room : List.copyOf(early)) {
      judge(room, now);
      if (!room.window.reachesBeyond(HotRoom.tenth(now))) {
        early.remove(room);
      }
    }
    for (HotRoom room : List.copyOf(hot.values())) {
      judge(room, now);
      if (room.isHot() && now - renewedAt.getOrDefault(room.id, 0L) >= RENEW_MILLIS) {
        decide(room, false, now);
      }
    }
    if (forgotAt == NONE || steady - forgotAt >= FORGET_EVERY_MILLIS) {
      forgotAt = steady;
      forget(now);
    }
  }

  private void forget(long now) {
    long oldest = oldest(now);
    for (HotRoom room : List.copyOf(rooms.values())) {
      if (room.window.forget(oldest, oldest - REMEMBERED_BEYOND_WINDOWS_TENTHS)) {
        changedRooms.add(room.id);
      }
      room.forgetAudiences(
          now,
          producer ->
              goneAudiences.computeIfAbsent(room.id, id -> new ArrayList<>()).add(producer));
      if (room.window.isEmpty() && !room.isHot() && !room.hasAudience()) {
        remove(room);
      }
    }
  }

  /** The oldest tenth that can be in any window. */
  private long oldest(long now) {
    int longest = rules == null ? 60 : rules.longestWindow();
    return HotRoom.tenth(now) - (long) longest * RoomSum.TENTHS + 1;
  }

  /** Writes what has changed since this was last called. */
  public void drainTo(HeatStore store) {
    // A room that came back meanwhile is written again below.
    for (HotRoom room : goneRooms) {
      room.window.deleteFrom(room.id, store);
      room.audiences().keySet().forEach(producer -> store.deleteAudience(room.id, producer));
    }
    goneRooms.clear();
    goneAudiences.forEach(
        (room, producers) -> producers.forEach(producer -> store.deleteAudience(room, producer)));
    goneAudiences.clear();
    for (String id : changedAudiences) {
      rooms.get(id).audiences().forEach((who, count) -> store.putAudience(id, who, count));
    }
    changedAudiences.clear();
    for (String id : changedRooms) {
      rooms.get(id).window.drainTo(id, store);
    }
    changedRooms.clear();
    for (String id : changedVerdicts) {
      HotRoom room = rooms.get(id);
      if (room != null && room.isHot()) {
        store.putHot(room.verdict());
      } else {
        store.deleteHot(id);
      }
    }
    changedVerdicts.clear();
  }

  /** Takes back a slot that {@link #drainTo} wrote. */
  public void restoreSlot(
      String roomId,
      String producer,
      long slot,
      long baseTenth,
      List<RoomSum.Cell> cells,
      long steady) {
    RoomWindow.Slot kept = new RoomWindow.Slot(baseTenth);
    for (RoomSum.Cell cell : cells) {
      long[] counts = new long[RoomSum.TENTHS];
      for (int i = 0; i < cell.counts().size(); i++) {
        counts[i] = cell.counts().get(i);
      }
      kept.cells.put(new RoomWindow.CellName(cell.kind(), cell.country(), cell.app()), counts);
    }
    room(roomId)
        .window
        .restore(new RoomWindow.Name(producer, slot), kept, oldest(clock.now(steady)));
  }

  /** Takes back an audience that {@link #drainTo} wrote. */
  public void restoreAudience(String roomId, String producer, int subscribers, long steady) {
    room(roomId).report(producer, subscribers, clock.now(steady));
  }

  /** Takes over a verdict from before, so that the room stays hot until it cools. */
  public void adopt(HotVerdict verdict) {
    HotRoom room = room(verdict.roomId());
    room.adopt(verdict);
    hot.put(room.id, room);
    changedVerdicts.add(room.id);
  }

  /** Whether a room is hot by what is known here. */
  public boolean isHot(String roomId) {
    return hot.containsKey(roomId);
  }

  /** Whether it has been told the rules, without which nothing can be said. */
  public boolean hasRules() {
    return rules != null;
  }

  /** How busy a room is. */
  public RoomHeat room(String roomId, long steady) {
    HotRoom found = rooms.get(roomId);
    return (found == null ? new HotRoom(roomId) : found).heat(rules, clock.now(steady));
  }

  /** All hot rooms. */
  public List<RoomHeat> hot(long steady) {
    long now = clock.now(steady);
    return hot.values().stream().map(room -> room.heat(rules, now)).toList();
  }

  /** The rooms nearest to their threshold, or furthest over it. */
  public List<RoomHeat> busiest(int limit, long steady) {
    long now = clock.now(steady);
    Comparator<HotRoom> byRatio = Comparator.comparingDouble(room -> room.ratio(rules, now));
    return rooms.values().stream()
        .sorted(byRatio.reversed())
        .limit(limit)
        .map(room -> room.heat(rules, now))
        .toList();
  }

  /** Rooms that are counted now. */
  public int rooms() {
    return rooms.size();
  }

  /** Rooms that are hot now. */
  public int hotRooms() {
    return hot.size();
  }

  /** Events that came when their second had left every window. */
  public long late() {
    return late;
  }

  /** Events that claim to have happened after now. */
  public long ahead() {
    return ahead;
  }

  /** Events that weren't counted since their sum had too many cells. */
  public long beyond() {
    return beyond;
  }

  /** Rooms that were forgotten early. */
  public long shed() {
    return shed;
  }

  /** How long the last verdicts that a sum caused took from its append, in milliseconds, sorted. */
  public List<Long> decisionMillis() {
    return Arrays.stream(decisionMillis, 0, (int) Math.min(decided, RECENT_DECISIONS))
        .sorted()
        .boxed()
        .toList();
  }
}
