package dev.sluice.notifier.push;

import static dev.sluice.settings.SettingKey.PUSH_HOT_INTERVAL;
import static dev.sluice.settings.SettingKey.PUSH_HOT_MODE;
import static dev.sluice.settings.SettingKey.PUSH_HOT_PROBABILITY;

import dev.sluice.hot.HotRooms;
import dev.sluice.notifier.routing.FeedSubscription;
import dev.sluice.notifier.routing.RoutingTable;
import dev.sluice.notifier.stomp.Encoded;
import dev.sluice.query.FeedPage;
import dev.sluice.query.RoomQueries;
import dev.sluice.settings.SettingsView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells those who follow a room how far what was said in it goes, at the pace that its heat allows.
 * What is known of a room is kept while it has followers here. A push is handed to all followers by
 * one thread at a time; what becomes due meanwhile goes out in one push after it. Thread-safe.
 */
public final class RoomPushes implements LiveRoomEvents.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(RoomPushes.class);

  /** A push held back is looked at so often, so that a change of its settings counts. */
  private static final long LOOK_EVERY = Duration.ofMillis(200).toNanos();

  private final RoutingTable table;
  private final RoomQueries queries;
  private final HotRooms hotRooms;
  private final Supplier<SettingsView> settings;
  private final Bodies bodies;
  private final ScheduledExecutorService timer;
  private final Executor workers;
  private final AnswerDelivery delivery;
  private final LongSupplier nanos;
  private final DoubleSupplier chance;

  private final Map<String, Room> rooms = new ConcurrentHashMap<>();

  /** The offset last read of each partition of the stream. */
  private final Map<Integer, AtomicLong> read = new ConcurrentHashMap<>();

  private final LongAdder pushed = new LongAdder();
  private final LongAdder heldBack = new LongAdder();

  /**
   * @param workers tells followers; must not block
   * @param nanos a clock that only goes forward, in nanoseconds
   * @param chance at random from 0 to 1, 1 excluded
   */
  public RoomPushes(
      RoutingTable table,
      RoomSources sources,
      Bodies bodies,
      ScheduledExecutorService timer,
      Executor workers,
      LongSupplier nanos,
      DoubleSupplier chance) {
    this.table = table;
    this.queries = sources.queries();
    this.hotRooms = sources.hotRooms();
    this.settings = sources.settings();
    this.bodies = bodies;
    this.timer = timer;
    this.workers = workers;
    this.delivery = new AnswerDelivery(workers);
    this.nanos = nanos;
    this.chance = chance;
  }

  /** Hears from now on which rooms turn and which lose their last follower. */
  public void begin() {
    table.onAudience(roomId -> rooms.computeIfPresent(roomId, this::ifFollowed));
    hotRooms.onChange(this::changed);
  }

  @Override
  public void reads(int partition, long offset) {
    read.computeIfAbsent(partition, none -> new AtomicLong()).set(offset);
  }

  @Override
  public void said(String roomId, long cursor) {
    Room room = room(roomId);
    if (room != null) {
      room.said(cursor);
    }
  }

  private void changed(HotRooms.Change change) {
    Room room = change.isTurn() ? room(change.roomId()) : null;
    if (room != null) {
      room.turned();
    }
  }

  /** Tells a new follower, already in the table, how things are. */
  public void tell(FeedSubscription follower) {
    Room room = room(follower.roomId());
    if (room != null) {
      room.welcome(follower);
    }
  }

  /** Pushes so far, each to all followers of its room. */
  public long pushed() {
    return pushed.sum();
  }

  /** Events so far that weren't pushed at once. */
  public long heldBack() {
    return heldBack.sum();
  }

  /** Rooms of which something is kept. */
  public int rooms() {
    return rooms.size();
  }

  /**
   * Up to here the stream was read, perhaps before anybody followed the room, and won't be told any
   * more: what the owner knows must reach as far.
   */
  private long passedOver(String roomId) {
    AtomicLong offset = read.get(queries.partitionOf(roomId));
    return offset == null ? RoomQueries.BEGINNING : offset.get();
  }

  /** Null when nobody follows it. */
  private Room room(String roomId) {
    Room room = rooms.get(roomId);
    return room != null ? room : rooms.computeIfAbsent(roomId, id -> ifFollowed(id, new Room(id)));
  }

  private Room ifFollowed(String roomId, Room room) {
    return table.isFollowed(roomId) ? room : null;
  }

  private PushPace.Rule rule(String roomId) {
    SettingsView view = settings.get();
    return new PushPace.Rule(
        hotRooms.isHot(roomId),
        view.of(PUSH_HOT_MODE, roomId),
        view.of(PUSH_HOT_INTERVAL, roomId).toNanos(),
        view.of(PUSH_HOT_PROBABILITY, roomId));
  }

  /** What is known of one room, and who has yet to hear it. */
  private final class Room {
    private final String roomId;
    private final PushPace pace = new PushPace();
    private final List<FeedSubscription> newcomers = new ArrayList<>(1);
    private long cursor = RoomQueries.BEGINNING;

    /** Whether the cursor is sure to be that of the last event, or is being asked for. */
    private Knowledge knowledge = Knowledge.NONE;

    private boolean tellsAll;
    private boolean telling;
    private boolean scheduled;

    Room(String roomId) {
      this.roomId = roomId;
    }

    synchronized void said(long newest) {
      cursor = Math.max(cursor, newest);
      knowledge = Knowledge.SURE;
      if (pace.said(nanos.getAsLong(), rule(roomId), chance.getAsDouble())) {
        push();
      } else {
        heldBack.increment();
        lookLater();
      }
    }

    synchronized void turned() {
      if (pace.turned(nanos.getAsLong(), rule(roomId))) {
        push();
      } else {
        lookLater();
      }
    }

    private synchronized void look() {
      scheduled = false;
      if (rooms.get(roomId) != this) {
        return;
      }
      if (pace.isDue(nanos.getAsLong(), rule(roomId))) {
        push();
      } else {
        lookLater();
      }
    }

    private void lookLater() {
      if (scheduled) {
        return;
      }
      long delay = pace.delay(nanos.getAsLong(), rule(roomId));
      if (delay != PushPace.NEVER) {
        scheduled = true;
        var unused = timer.schedule(this::look, Math.min(delay, LOOK_EVERY), TimeUnit.NANOSECONDS);
      }
    }

    synchronized void welcome(FeedSubscription follower) {
      newcomers.add(follower);
      if (knowledge == Knowledge.SURE) {
        tellLater();
      } else if (knowledge == Knowledge.NONE) {
        knowledge = Knowledge.ASKED;
        delivery.deliver(
            queries.feed(roomId, RoomQueries.BEGINNING, passedOver(roomId), 0), this::learn);
      }
    }

    private synchronized void learn(FeedPage page, Throwable failure) {
      if (failure == null) {
        cursor = Math.max(cursor, page.cursor());
        knowledge = Knowledge.SURE;
      } else if (knowledge == Knowledge.ASKED) {
        LOG.debug("The cursor of room {} is not known", roomId, failure);
        knowledge = Knowledge.NONE;
      }
      tellLater();
    }

    private void push() {
      pushed.increment();
      tellsAll = true;
      tellLater();
    }

    private void tellLater() {
      if (!telling && (tellsAll || (knowledge != Knowledge.ASKED && !newcomers.isEmpty()))) {
        telling = true;
        workers.execute(this::tell);
      }
    }

    /** One thread at a time, so that nobody hears the older after the newer. */
    private void tell() {
      try {
        Collection<FeedSubscription> followers;
        long newest;
        synchronized (this) {
          followers = tellsAll ? table.following(roomId) : List.copyOf(newcomers);
          if (knowledge != Knowledge.ASKED) {
            newcomers.clear();
          }
          tellsAll = false;
          newest = cursor;
        }
        boolean hot = hotRooms.isHot(roomId);
        Encoded body = bodies.room(roomId, newest, hot);
        followers.forEach(follower -> follower.tell(newest, hot, body));
      } finally {
        synchronized (this) {
          telling = false;
          tellLater();
        }
      }
    }
  }

  private enum Knowledge {
    NONE,
    ASKED,
    SURE
  }
}
