package dev.sluice.notifier.routing;

import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Version;
import dev.sluice.notifier.routing.Destination.Kind;
import java.util.HashMap;
import java.util.Map;

/**
 * A subscription to one kind of news about one person, and the guard that joins what was looked up
 * with what comes live: of each room only what is newer than all before gets through, and while a
 * person waits in one place their rank never rises. Thread-safe.
 */
public final class PersonSubscription extends Subscription {
  /** Full rounds that may miss a waiting person before they are looked up again. */
  private static final int MISSES = 2;

  private final RoutingTable table;
  private final Kind kind;
  private final PersonKey person;
  private final String room;
  private final Map<String, Place> places = new HashMap<>(2);
  private boolean cancelled;

  /** What came of showing a room's ranks. */
  public enum Shown {
    NOTHING_NEW,
    SENT,
    /** The person should wait there and doesn't, for some time already: look them up again. */
    MISSED
  }

  /**
   * @param room the only room to hear of, or null for all
   */
  public PersonSubscription(
      RoutingTable table,
      Outlet outlet,
      String id,
      String destination,
      Kind kind,
      PersonKey person,
      String room) {
    super(outlet, id, destination);
    this.table = table;
    this.kind = kind;
    this.person = person;
    this.room = room;
  }

  public PersonKey person() {
    return person;
  }

  /** The only room it hears of, or null for all. */
  public String room() {
    return room;
  }

  public synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Passes the news on if they are the person's, of this kind and newer than all before. */
  public void tell(PersonNews news) {
    if (!person.requestId().equals(news.requestId())
        || !person.session().equals(news.session())
        || (room != null && !room.equals(news.roomId()))) {
      return;
    }
    boolean must;
    synchronized (this) {
      must = !cancelled && queueIfNew(news);
    }
    if (must) {
      outlet().flush();
    }
  }

  /** Whether something is queued that must be delivered. */
  private boolean queueIfNew(PersonNews news) {
    Place place = places.computeIfAbsent(news.roomId(), roomId -> new Place());
    boolean moved = place.moveTo(news);
    if (moved && news.status() == PersonStatus.WAITING) {
      table.addWaiting(news.roomId(), this);
    }
    if (!moved || news.status() == PersonStatus.WAITING) {
      queueRank(place, news);
      return false;
    }
    table.removeWaiting(news.roomId(), this);
    outlet().forget(place);
    Kind kindOfNews =
        switch (news.status()) {
          case ADMITTED -> Kind.ADMISSION;
          case EXPIRED -> Kind.TIMEOUT;
          case WAITING, COMPLETED, LEFT -> null;
        };
    if (kindOfNews != kind) {
      return false;
    }
    outlet().mustDeliver(this, news.body(kind));
    return true;
  }

  private void queueRank(Place place, PersonNews news) {
    if (kind == Kind.RANK && place.isAt(news) && place.improvesTo(news.rank())) {
      place.rank = news.rank();
      outlet().lastValue(this, place, news.body(Kind.RANK));
    }
  }

  /**
   * Shows the person's rank if they wait there.
   *
   * @param all also a rank that is as it was
   */
  public synchronized Shown show(Ranks ranks, boolean all) {
    Place place = places.get(ranks.roomId());
    if (cancelled
        || place == null
        || place.status != PersonStatus.WAITING
        || ranks.offset() < place.version.offset()) {
      return Shown.NOTHING_NEW;
    }
    long rank = ranks.rankOf(place.ticket);
    if (rank == 0) {
      if (!all || ++place.misses < MISSES) {
        return Shown.NOTHING_NEW;
      }
      place.misses = 0;
      return Shown.MISSED;
    }
    place.misses = 0;
    if (kind != Kind.RANK || !(place.improvesTo(rank) || (all && rank == place.rank))) {
      return Shown.NOTHING_NEW;
    }
    place.rank = rank;
    outlet().lastValue(this, place, ranks.body(person.requestId(), rank, place.version));
    return Shown.SENT;
  }

  /** Hears nothing more, and leaves no trace among those who wait. */
  void cancel() {
    synchronized (this) {
      cancelled = true;
      places.keySet().forEach(roomId -> table.removeWaiting(roomId, this));
      places.values().forEach(outlet()::forget);
      places.clear();
    }
  }

  /** What the subscriber was told of the person in one room; also the key of its last value. */
  private static final class Place {
    private Version version;
    private PersonStatus status;
    private long ticket;

    /** The last shown in this place, 0 for none. */
    private long rank;

    private int misses;

    boolean moveTo(PersonNews news) {
      if (version != null && !news.version().isNewerThan(version)) {
        return false;
      }
      version = news.version();
      status = news.status();
      ticket = news.ticket();
      rank = 0;
      misses = 0;
      return true;
    }

    boolean isAt(PersonNews news) {
      return status == PersonStatus.WAITING && news.version().equals(version);
    }

    boolean improvesTo(long newRank) {
      return newRank > 0 && (rank == 0 || newRank < rank);
    }
  }
}
