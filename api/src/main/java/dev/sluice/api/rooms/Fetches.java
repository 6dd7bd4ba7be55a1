package dev.sluice.api.rooms;

import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemException;
import dev.sluice.api.problem.ProblemType;
import dev.sluice.api.rooms.FetchGate.Fetch;
import dev.sluice.api.rooms.FetchGate.Read;
import dev.sluice.api.rooms.SharedFeed.Reading;
import dev.sluice.api.rooms.SharedFeed.Shared;
import dev.sluice.hot.HotRooms;
import dev.sluice.query.FeedPage;
import dev.sluice.query.QueryException;
import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.RoomQueries;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers fetches through a {@link FetchGate} for each room that is being read, and reads for them:
 * from what the instances share of a hot room, if that is fresh enough, else from the store. A
 * fetch keeps no thread while it waits. Thread-safe.
 */
public final class Fetches {
  private static final Logger LOG = LoggerFactory.getLogger(Fetches.class);

  /** Answers that a thread makes before it gives another one a turn. */
  private static final int AT_A_TIME = 64;

  /** How long the shared feed may take before the store is read without it. */
  private static final Duration SHARED_WITHIN = Duration.ofMillis(100);

  private final RoomQueries queries;
  private final HotRooms hotRooms;
  private final SharedFeed sharedFeed;
  private final Limits limits;
  private final RoomMeters meters;
  private final ConcurrentHashMap<String, Room> rooms = new ConcurrentHashMap<>();
  private final String tickets = UUID.randomUUID() + "-";
  private final AtomicLong ticket = new AtomicLong();
  private final ScheduledExecutorService pool;

  /**
   * @param interval between two readings of a hot room at least
   * @param maxWaiting fetches that wait in one room
   */
  public record Limits(Duration interval, int maxWaiting) {}

  /** A room that is being read; its monitor guards the gate. */
  private final class Room {
    private final String id;
    private final FetchGate gate = new FetchGate(limits.interval().toNanos());
    private boolean isForgotten;
    private boolean isTimed;

    Room(String id) {
      this.id = id;
    }
  }

  /**
   * @param sharedFeed or null
   * @param pool makes the answers, and waits for intervals to pass
   */
  public Fetches(
      RoomQueries queries,
      HotRooms hotRooms,
      SharedFeed sharedFeed,
      Limits limits,
      RoomMeters meters,
      ScheduledExecutorService pool) {
    this.queries = queries;
    this.hotRooms = hotRooms;
    this.sharedFeed = sharedFeed;
    this.limits = limits;
    this.meters = meters;
    this.pool = pool;
  }

  /**
   * What was said in a room, as the JSON of the answer.
   *
   * @param after a cursor, or {@link RoomQueries#BEGINNING}
   * @param upTo what the answer must reflect besides, or {@link RoomQueries#BEGINNING}
   * @param limit most events, from 1 to {@link FetchGate#MAX_PAGE}
   * @return fails with {@link QueryException}
   * @throws ProblemException if too many wait in the room already
   * @throws QueryException if it asks for what has just been waited for in vain
   */
  CompletableFuture<byte[]> fetch(String roomId, long after, long upTo, int limit) {
    Fetch fetch = new Fetch(after, upTo, limit);
    Room room = arrive(roomId, fetch);
    advance(room);
    return fetch.answer();
  }

  private Room arrive(String roomId, Fetch fetch) {
    while (true) {
      Room room = rooms.computeIfAbsent(roomId, Room::new);
      synchronized (room) {
        if (!room.isForgotten) {
          if (room.gate.waiting() >= limits.maxWaiting()) {
            throw Problem.passing(
                    ProblemType.BUSY, "Too many are waiting to read this room here.", 1)
                .asException();
          }
          long now = System.nanoTime();
          if (room.gate.isInVain(fetch, now)) {
            throw new QueryException(
                Kind.BEHIND, "the log isn't there up to this cursor, or not yet");
          }
          room.gate.arrive(fetch, now);
          return room;
        }
      }
    }
  }

  /** Begins what can begin, or sees to it that it will, or forgets the room. */
  private void advance(Room room) {
    boolean isHot = hotRooms.isHot(room.id);
    while (true) {
      Read read;
      synchronized (room) {
        long now = System.nanoTime();
        read = room.gate.next(now, isHot);
        if (read == null) {
          if (room.gate.isIdle(now, isHot)) {
            room.isForgotten = true;
            rooms.remove(room.id, room);
          } else {
            advanceLater(room, isHot, now);
          }
          return;
        }
      }
      begin(room, read, isHot);
    }
  }

  private void advanceLater(Room room, boolean isHot, long now) {
    if (room.isTimed || !(isHot || room.gate.remembersInVain(now))) {
      return;
    }
    long nanos = room.gate.nanosToNext(now, isHot);
    if (nanos < 0) {
      // Nobody waits for time to pass; once it has, an idle room is forgotten.
      nanos = isHot ? limits.interval().toNanos() : FetchGate.BEYOND_NANOS;
    }
    room.isTimed = true;
    try {
      var unused =
          pool.schedule(
              () -> {
                synchronized (room) {
                  room.isTimed = false;
                }
                advance(room);
              },
              nanos,
              TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("Closed", e);
    }
  }

  private void begin(Room room, Read read, boolean isHot) {
    if (sharedFeed == null || !isHot) {
      readStore(room, read, null);
      return;
    }
    String name = tickets + ticket.incrementAndGet();
    CompletableFuture<Optional<Shared>> asked;
    try {
      asked = sharedFeed.get(room.id, name).copy();
    } catch (RuntimeException e) {
      asked = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<Void> unused =
        asked
            .orTimeout(SHARED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
            .handleAsync(
                (found, failure) -> {
                  if (failure != null) {
                    LOG.debug("What is shared of room {} isn't known", room.id, failure);
                  }
                  useShared(room, read, failure == null ? found : Optional.empty(), name);
                  return null;
                },
                this::execute);
  }

  private void useShared(Room room, Read read, Optional<Shared> found, String name) {
    Read again;
    if (found.isPresent()) {
      Shared shared = found.get();
      List<Fetch> answered;
      synchronized (room) {
        long ageNanos = TimeUnit.MILLISECONDS.toNanos(shared.ageMillis() + 1);
        answered = room.gate.shared(read, shared.reading(), ageNanos);
      }
      if (!answered.isEmpty()) {
        meters.readShared();
        answer(answered, new FeedBodies(shared.reading()), 0);
        advance(room);
        return;
      }
    }
    synchronized (room) {
      again = room.gate.again(read, System.nanoTime());
    }
    if (again == null) {
      advance(room);
    } else {
      readStore(room, again, name);
    }
  }

  /**
   * @param name under which the reading is shared, or null
   */
  private void readStore(Room room, Read read, String name) {
    meters.readStore();
    CompletableFuture<FeedPage> asked;
    try {
      asked = queries.feed(room.id, read.after(), read.upTo(), read.limit());
    } catch (RuntimeException e) {
      asked = CompletableFuture.failedFuture(e);
    }
    // Whoever learns of the page first, a stream thread mostly, has more to do.
    CompletableFuture<Void> unused =
        asked.handleAsync(
            (page, failure) -> {
              if (failure == null) {
                done(room, read, page, name);
              } else {
                failed(room, read, failure);
              }
              return null;
            },
            this::execute);
  }

  private void done(Room room, Read read, FeedPage page, String name) {
    long reflects = Math.max(read.upTo(), Math.max(read.after(), page.cursor()));
    Reading reading = new Reading(read.after(), reflects, page);
    List<Fetch> answered;
    synchronized (room) {
      answered = room.gate.done(read, reading);
    }
    advance(room);
    if (name != null) {
      share(room, name, reading);
    }
    answer(answered, new FeedBodies(reading), 0);
  }

  private void share(Room room, String name, Reading reading) {
    try {
      sharedFeed.put(room.id, name, reading);
    } catch (RuntimeException e) {
      LOG.debug("What was read of room {} isn't shared", room.id, e);
    }
  }

  private void failed(Room room, Read read, Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    List<Fetch> failed;
    synchronized (room) {
      boolean inVain = cause instanceof QueryException refused && refused.kind() == Kind.BEHIND;
      failed = room.gate.failed(read, inVain, System.nanoTime());
    }
    advance(room);
    failed.forEach(fetch -> fetch.answer().completeExceptionally(cause));
  }

  private void answer(List<Fetch> answered, FeedBodies bodies, int from) {
    int end = Math.min(from + AT_A_TIME, answered.size());
    for (Fetch fetch : answered.subList(from, end)) {
      try {
        fetch.answer().complete(bodies.after(fetch.after(), fetch.limit()));
      } catch (RuntimeException e) {
        LOG.error("An answer to a fetch could not be made", e);
        fetch.answer().completeExceptionally(e);
      }
    }
    if (end < answered.size()) {
      execute(() -> answer(answered, bodies, end));
    }
  }

  /** On a thread of its own, or on this one when that is no longer possible. */
  private void execute(Runnable task) {
    try {
      pool.execute(task);
    } catch (RejectedExecutionException e) {
      task.run();
    }
  }

  /** Rooms that are being read. */
  int rooms() {
    return rooms.size();
  }
}
