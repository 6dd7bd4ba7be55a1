package dev.sluice.api.rooms;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import dev.sluice.api.admin.SettingsInForce;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingsView;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * How many joins of each room this instance accepts: decided at once and in local memory, since by
 * the time that anyone else knew, the database would be down. Rooms are remembered in a bounded
 * cache. One that has a good part of its joins already can't be pushed out of it by others, however
 * many names there are; the number of those is bounded too. Thread-safe.
 */
public final class JoinLimits {
  /** Rooms remembered of which few joins are known. */
  static final int MAX_CALM = 100_000;

  /** Rooms remembered whatever comes. */
  static final int MAX_STORMY = 2_000;

  /** A room is stormy once it has this part of its threshold, until it has half of that. */
  private static final int STORMY_PART = 8;

  private final SettingsInForce settings;
  private final LongSupplier nanos;
  private final AtomicInteger stormy = new AtomicInteger();
  private final Cache<String, Room> rooms;

  /**
   * @param nanos a clock that only goes forward, in nanoseconds
   */
  public JoinLimits(SettingsInForce settings, LongSupplier nanos) {
    this.settings = settings;
    this.nanos = nanos;
    this.rooms =
        Caffeine.newBuilder()
            .maximumWeight(MAX_CALM)
            .weigher((String roomId, Room room) -> room.isStormy ? 0 : 1)
            .expireAfterAccess(Duration.ofSeconds(JoinBucket.MAX_WINDOW_SECONDS + 1))
            .ticker(nanos::getAsLong)
            .executor(Runnable::run)
            .evictionListener((String roomId, Room room, RemovalCause cause) -> forgotten(room))
            .build();
  }

  /** A room's joins; its monitor guards them. */
  private static final class Room {
    private final JoinBucket bucket = new JoinBucket();
    private volatile boolean isStormy;
  }

  /**
   * The answer to who wants to join.
   *
   * @param retryAfterMillis 0 if they may, else when there will be a place if nobody else takes it
   * @param atMillis when it was given
   */
  record Verdict(long retryAfterMillis, long atMillis, int windowSeconds, int threshold) {
    boolean isAccepted() {
      return retryAfterMillis == 0;
    }
  }

  /** Takes a place in a room if there is one. */
  Verdict take(String roomId) {
    SettingsView view = settings.view();
    int threshold = view.of(SettingKey.JOIN_THRESHOLD, roomId);
    int window = (int) view.of(SettingKey.JOIN_WINDOW, roomId).toSeconds();
    Room room = rooms.get(roomId, name -> new Room());
    long now;
    long wait;
    long taken;
    synchronized (room) {
      now = TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong());
      wait = room.bucket.take(now, window, threshold);
      taken = room.bucket.taken(now, window);
    }
    long much = threshold / STORMY_PART + 1L;
    if (!room.isStormy && taken >= much) {
      hold(roomId, room);
    } else if (room.isStormy && taken < much / 2) {
      letGo(roomId, room);
    }
    return new Verdict(wait, now, window, threshold);
  }

  /** Gives back a place, since nobody joined after all. */
  void giveBack(String roomId, Verdict accepted) {
    Room room = rooms.getIfPresent(roomId);
    if (room != null) {
      synchronized (room) {
        room.bucket.giveBack(accepted.atMillis());
      }
    }
  }

  private void hold(String roomId, Room room) {
    if (stormy.incrementAndGet() > MAX_STORMY || !weigh(roomId, room, true)) {
      stormy.decrementAndGet();
    }
  }

  private void letGo(String roomId, Room room) {
    if (weigh(roomId, room, false)) {
      stormy.decrementAndGet();
    }
  }

  /** Whether that has made a difference: the cache weighs a room when it is put there. */
  private boolean weigh(String roomId, Room room, boolean isStormy) {
    AtomicBoolean changed = new AtomicBoolean();
    rooms
        .asMap()
        .computeIfPresent(
            roomId,
            (name, present) -> {
              if (present == room && room.isStormy != isStormy) {
                room.isStormy = isStormy;
                changed.set(true);
              }
              return present;
            });
    return changed.get();
  }

  private void forgotten(Room room) {
    if (room != null && room.isStormy) {
      stormy.decrementAndGet();
    }
  }

  /** Rooms remembered, as of the last clean-up. */
  long rooms() {
    rooms.cleanUp();
    return rooms.estimatedSize();
  }

  /** Rooms that can't be pushed out. */
  int stormy() {
    return stormy.get();
  }
}
