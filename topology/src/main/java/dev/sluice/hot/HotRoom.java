package dev.sluice.hot;

import dev.sluice.contract.HotVerdict;
import dev.sluice.query.RoomHeat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * One room: what has been counted, who is subscribed, and whether it is hot.
 *
 * <p>It is hot when a slice of it is over its threshold. It cools when all of them have been under
 * the release ratio of theirs for the hold time, judged by demand: a hot room is calmed, and the
 * fetches that its calming prevents must not cool it. So while it is hot each message counts as if
 * everyone subscribed had fetched it, if that is more than the fetches seen. Not thread-safe.
 */
final class HotRoom {
  /** An audience that isn't reported again for so long has gone. */
  static final long AUDIENCE_KEPT_MILLIS = 30_000;

  private static final long NEVER = Long.MIN_VALUE;

  final String id;
  final RoomWindow window = new RoomWindow();
  private final Map<String, Subscribers> audience = new HashMap<>(2);
  private HotRules rules;
  private HotRules.Limits limits;
  private HotVerdict verdict;
  private long underSince = NEVER;

  private record Subscribers(int count, long reportedAt) {}

  /** How a slice stands against its threshold. */
  private record Standing(Slice slice, long rate, long threshold, int windowSeconds) {
    boolean isOver() {
      return rate > threshold;
    }

    double ratio() {
      return (double) rate / threshold;
    }
  }

  HotRoom(String id) {
    this.id = id;
  }

  /** The verdict in force, null while it isn't hot. */
  HotVerdict verdict() {
    return verdict;
  }

  boolean isHot() {
    return verdict != null;
  }

  /** Takes a verdict over from before. */
  void adopt(HotVerdict before) {
    verdict = before;
    underSince = NEVER;
  }

  void report(String producer, int subscribers, long now) {
    if (subscribers == 0) {
      audience.remove(producer);
    } else {
      audience.put(producer, new Subscribers(subscribers, now));
    }
  }

  /** Forgets who hasn't reported for long. */
  void forgetAudiences(long now, Consumer<String> forgotten) {
    for (Iterator<Map.Entry<String, Subscribers>> all = audience.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<String, Subscribers> one = all.next();
      if (now - one.getValue().reportedAt() > AUDIENCE_KEPT_MILLIS) {
        all.remove();
        forgotten.accept(one.getKey());
      }
    }
  }

  boolean hasAudience() {
    return !audience.isEmpty();
  }

  long audience() {
    return audience.values().stream().mapToLong(Subscribers::count).sum();
  }

  Map<String, Integer> audiences() {
    Map<String, Integer> counts = new HashMap<>();
    audience.forEach((producer, subscribers) -> counts.put(producer, subscribers.count()));
    return counts;
  }

  /**
   * Judges it.
   *
   * @param now milliseconds since the epoch by the partition's clock
   * @return whether it has become hot or cooled
   */
  boolean judge(HotRules inForce, long now) {
    learn(inForce);
    long nowTenth = tenth(now);
    Standing worst = worst(nowTenth);
    if (worst.isOver()) {
      underSince = NEVER;
      boolean turned = verdict == null;
      verdict = verdict(worst, turned ? now : verdict.since(), now);
      return turned;
    }
    if (verdict == null) {
      return false;
    }
    if (demandRatio(nowTenth) >= limits.releaseRatio()) {
      underSince = NEVER;
    } else if (underSince == NEVER) {
      underSince = now;
    }
    if (underSince != NEVER && now - underSince >= limits.holdMillis()) {
      verdict = null;
      underSince = NEVER;
      return true;
    }
    Standing because = standingNamed(verdict.because(), nowTenth);
    verdict = verdict(because == null ? worst : because, verdict.since(), now);
    return false;
  }

  private void learn(HotRules inForce) {
    if (rules != inForce) {
      rules = inForce;
      limits = inForce.of(id);
    }
  }

  private HotVerdict verdict(Standing standing, long since, long now) {
    return new HotVerdict(
        id,
        standing.slice().toString(),
        standing.rate(),
        standing.threshold(),
        standing.windowSeconds(),
        since,
        now);
  }

  /** The room and each part of it that has a threshold of its own. */
  private List<Standing> standings(long nowTenth) {
    if (rules.countries().isEmpty() && rules.apps().isEmpty()) {
      return List.of(ofRoom(nowTenth));
    }
    List<Standing> all = new ArrayList<>();
    all.add(ofRoom(nowTenth));
    rules.countries().keySet().forEach(country -> all.add(ofCountry(country, nowTenth)));
    rules.apps().keySet().forEach(app -> all.add(ofApp(app, nowTenth)));
    return all;
  }

  /** The slice that is most over its threshold, or nearest to it; the room where they are even. */
  private Standing worst(long nowTenth) {
    Standing worst = null;
    for (Standing standing : standings(nowTenth)) {
      if (worst == null || standing.ratio() > worst.ratio()) {
        worst = standing;
      }
    }
    return worst;
  }

  private Standing ofRoom(long nowTenth) {
    return standing(Slice.ROOM, limits.threshold(), limits.windowSeconds(), nowTenth);
  }

  private Standing ofCountry(String country, long nowTenth) {
    return standing(
        new Slice(Slice.Dimension.COUNTRY, country), rules.countries().get(country), nowTenth);
  }

  private Standing ofApp(String app, long nowTenth) {
    return standing(new Slice(Slice.Dimension.APP, app), rules.apps().get(app), nowTenth);
  }

  private Standing standing(Slice slice, HotRules.Part part, long nowTenth) {
    return part == null
        ? null
        : standing(slice, part.threshold(), part.windowOr(limits.windowSeconds()), nowTenth);
  }

  private Standing standing(Slice slice, long threshold, int windowSeconds, long nowTenth) {
    long rate = window.tally(slice, windowSeconds, nowTenth).total();
    return new Standing(slice, rate, threshold, windowSeconds);
  }

  /** The slice that a verdict named; null if it has no threshold any more. */
  private Standing standingNamed(String because, long nowTenth) {
    int equals = because.indexOf('=');
    if (equals < 0) {
      return ofRoom(nowTenth);
    }
    String name = because.substring(equals + 1);
    return because.startsWith("country") ? ofCountry(name, nowTenth) : ofApp(name, nowTenth);
  }

  /** The greatest part of its threshold that the demand of any slice is. */
  private double demandRatio(long nowTenth) {
    double greatest = 0;
    for (Standing standing : standings(nowTenth)) {
      long demand = demand(standing.slice(), standing.windowSeconds(), nowTenth);
      greatest = Math.max(greatest, (double) demand / standing.threshold());
    }
    return greatest;
  }

  /**
   * What a slice's rate would be if the room weren't calmed: everyone subscribed fetches each
   * message of the room, in the proportion in which the slice fetches now.
   */
  private long demand(Slice slice, int windowSeconds, long nowTenth) {
    Tally seen = window.tally(slice, windowSeconds, nowTenth);
    Tally room =
        slice.dimension() == Slice.Dimension.ROOM
            ? seen
            : window.tally(Slice.ROOM, windowSeconds, nowTenth);
    if (seen.fetches() == 0 && slice.dimension() != Slice.Dimension.ROOM) {
      return seen.total();
    }
    double share = room.fetches() == 0 ? 1 : (double) seen.fetches() / room.fetches();
    double fetches = (double) room.messages() * audience() * share;
    return seen.messages() + seen.joins() + Math.max(seen.fetches(), (long) fetches);
  }

  /** How it stands, for whoever asks. */
  RoomHeat heat(HotRules inForce, long now) {
    learn(inForce);
    long nowTenth = tenth(now);
    Standing room = ofRoom(nowTenth);
    Map<String, RoomHeat.Slice> byCountry = new TreeMap<>();
    for (String country : window.countries()) {
      Slice slice = new Slice(Slice.Dimension.COUNTRY, country);
      put(byCountry, country, slice, rules.countries().get(country), nowTenth);
    }
    Map<String, RoomHeat.Slice> byApp = new TreeMap<>();
    for (String app : window.apps()) {
      Slice slice = new Slice(Slice.Dimension.APP, app);
      put(byApp, app, slice, rules.apps().get(app), nowTenth);
    }
    return new RoomHeat(
        id,
        verdict,
        room.rate(),
        demand(Slice.ROOM, limits.windowSeconds(), nowTenth),
        room.threshold(),
        room.windowSeconds(),
        audience(),
        new TreeMap<>(byCountry),
        new TreeMap<>(byApp));
  }

  private void put(
      Map<String, RoomHeat.Slice> to, String name, Slice slice, HotRules.Part part, long nowTenth) {
    int seconds = part == null ? limits.windowSeconds() : part.windowOr(limits.windowSeconds());
    long rate = window.tally(slice, seconds, nowTenth).total();
    if (rate > 0 || part != null) {
      to.put(name, new RoomHeat.Slice(rate, part == null ? 0 : part.threshold()));
    }
  }

  /** The greatest part of a threshold that any slice's rate is. */
  double ratio(HotRules inForce, long now) {
    learn(inForce);
    return worst(tenth(now)).ratio();
  }

  static long tenth(long millis) {
    return Math.floorDiv(millis, 100);
  }
}
