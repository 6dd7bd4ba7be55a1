package dev.sluice.admission;

import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.RoomState;
import dev.sluice.contract.Version;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One room: its people and what decides when the next of them moves. Each method is one change and
 * keeps all indexes of people in step. Changed by the machine's thread; others use {@link
 * #snapshot} and {@link #find} alone.
 */
final class Room {
  /** Nothing is due. */
  static final long NEVER = Long.MAX_VALUE;

  private static final long PROGRESS_MILLIS = 1_000;

  private static final Comparator<Person> BY_EXPIRY =
      Comparator.comparingLong(Person::expiresAt).thenComparingLong(Person::ticket);

  private final String id;
  private final Map<String, Person> people = new ConcurrentHashMap<>();
  private final Map<String, Integer> placesBySession = new HashMap<>();
  private final Entrants entrants = new Entrants();
  private final TreeSet<Person> active = new TreeSet<>(BY_EXPIRY);
  private RankIndex waiting = RankIndex.empty();
  private RoomSettings settings;

  private long nextTicket = 1;
  private long paceNextMicros;
  private long closeThrough;
  private long progressAt;
  private boolean progressOwed;
  private Flow admitted = Flow.NONE;
  private Flow outflow = Flow.NONE;

  private final Dirty dirtyLeaves = new Dirty();
  private final Map<Long, Optional<Person>> dirtyActive = new HashMap<>();

  private volatile RoomSnapshot snapshot;

  /** A room that nobody entered. */
  Room(String id, RoomSettings settings) {
    this.id = id;
    this.settings = settings;
    this.snapshot = RoomSnapshot.empty(settings, nextTicket);
  }

  /** A room as it was kept. */
  Room(RoomRecord kept, RoomSettings settings, RankIndex waiting, Iterable<Person> live) {
    this(kept.roomId(), settings);
    nextTicket = kept.nextTicket();
    paceNextMicros = kept.paceNextMicros();
    closeThrough = kept.closeThrough();
    progressAt = kept.progressAt();
    progressOwed = kept.progressOwed();
    admitted = kept.admitted();
    outflow = kept.outflow();
    this.waiting = waiting;
    for (Person person : live) {
      people.put(person.requestId(), person);
      placesBySession.merge(person.session(), 1, Integer::sum);
      if (person.isWaiting()) {
        entrants.restore(person);
      } else {
        active.add(person);
      }
    }
  }

  String id() {
    return id;
  }

  RoomSettings settings() {
    return settings;
  }

  /** The room after the last command. Any thread may ask. */
  RoomSnapshot snapshot() {
    return snapshot;
  }

  /**
   * The live person of that name, or null; maybe in the middle of a command. Any thread may ask.
   */
  Person find(String requestId) {
    return people.get(requestId);
  }

  int placesOf(String session) {
    return placesBySession.getOrDefault(session, 0);
  }

  int waitingCount() {
    return waiting.size();
  }

  int activeCount() {
    return active.size();
  }

  boolean isOccupied() {
    return !people.isEmpty();
  }

  /**
   * Whether this room, which nobody is in, does the same later if it isn't told of settings until
   * somebody enters: its pace doesn't hold up the next admission, and there is nothing to tell.
   */
  boolean canRest(long now) {
    return !progressOwed && paceNextMicros <= now * 1_000 && admitted.lastMinute(now) == 0;
  }

  // What is due.

  /** The earliest due of expiry, admission and progress. */
  long due(boolean configured) {
    return Math.min(Math.min(expiryDue(), admissionDue(configured)), progressDue());
  }

  long expiryDue() {
    return active.isEmpty() ? NEVER : active.first().expiresAt();
  }

  /** Who is the next to expire; only while somebody is active. */
  Person nextToExpire() {
    return active.first();
  }

  /** When the next may be admitted; long past if nothing but a command has held them up. */
  long admissionDue(boolean configured) {
    boolean possible =
        configured
            && settings.state().admits()
            && active.size() < settings.capacity()
            && !waiting.isEmpty()
            && !isClosing();
    return possible ? Math.floorDiv(paceNextMicros + 999, 1_000L) : NEVER;
  }

  long progressDue() {
    return progressOwed ? progressAt + PROGRESS_MILLIS : NEVER;
  }

  /** Whether people wait who are to expire since the room was closed. */
  boolean isClosing() {
    return closeThrough > 0;
  }

  /** Whether this waiting person is to expire since the room was closed. */
  boolean isClosedTo(Person person) {
    return person.isWaiting() && person.ticket() <= closeThrough;
  }

  /** The first in the queue; only while somebody waits. */
  Person head() {
    return entrants.get(waiting.first());
  }

  // Changes.

  Person enter(String requestId, String session, Receipt receipt, Version version) {
    Person person = Person.waiting(id, requestId, session, nextTicket++, receipt, version);
    people.put(requestId, person);
    placesBySession.merge(session, 1, Integer::sum);
    entrants.add(person);
    waiting = waiting.with(person.ticket());
    dirtyLeaves.add(RankIndex.leafOf(person.ticket()));
    progressOwed = true;
    return person;
  }

  /** Admits the head of the queue at {@code now}. */
  Person admitHead(long now, Version version) {
    Person head = head();
    long hardEnd = now + settings.maxSession();
    Person person =
        head.admitted(Math.min(now + settings.sessionTimeout(), hardEnd), hardEnd, version);
    stopWaiting(head);
    active.add(person);
    people.put(person.requestId(), person);
    dirtyActive.put(person.ticket(), Optional.of(person));
    admitted = admitted.plusOne(now);
    if (head.version().offset() != version.offset()) {
      outflow = outflow.plusOne(now);
    }
    advancePace(now);
    progressOwed = true;
    return person;
  }

  /** Renews an active place at {@code now}; an end already promised isn't taken back. */
  void renew(Person person, long now, Version version) {
    long until = Math.min(now + settings.sessionTimeout(), person.hardEnd());
    Person renewed = person.renewed(Math.max(until, person.expiresAt()), version);
    active.remove(person);
    active.add(renewed);
    people.put(renewed.requestId(), renewed);
    dirtyActive.put(renewed.ticket(), Optional.of(renewed));
  }

  /**
   * Ends the stay of a live person, who is in {@code ended} before they are gone from here so that
   * a reader finds them in one or the other.
   */
  Person end(
      Person person, PersonStatus how, String why, long now, Version version, EndedPeople ended) {
    Person gone = person.ended(how, why, now, version);
    ended.add(gone);
    people.remove(person.requestId());
    placesBySession.computeIfPresent(
        person.session(), (session, places) -> places == 1 ? null : places - 1);
    if (person.isWaiting()) {
      stopWaiting(person);
    } else {
      active.remove(person);
      dirtyActive.put(person.ticket(), Optional.empty());
    }
    progressOwed = true;
    return gone;
  }

  /** Brings settings into force at {@code now}. */
  void configure(RoomSettings changed, long now) {
    RoomSettings before = settings;
    settings = changed;
    if (!changed.pace().equals(before.pace())) {
      long soonest = now * 1_000 + changed.pace().intervalMicros();
      paceNextMicros = Math.min(paceNextMicros, soonest);
    }
    if (changed.state() == RoomState.CLOSED && before.state() != RoomState.CLOSED) {
      closeThrough = waiting.isEmpty() ? 0 : nextTicket - 1;
    }
    boolean shows = changed.state() != before.state() || changed.capacity() != before.capacity();
    if (shows && isOccupied()) {
      progressOwed = true;
    }
  }

  void progressed(long now) {
    progressAt = now;
    progressOwed = false;
  }

  void publish(long offset) {
    snapshot =
        new RoomSnapshot(offset, waiting, active.size(), nextTicket, settings, admitted, outflow);
  }

  private void stopWaiting(Person person) {
    waiting = waiting.without(person.ticket());
    entrants.remove(person.ticket());
    dirtyLeaves.add(RankIndex.leafOf(person.ticket()));
    if (isClosing() && (waiting.isEmpty() || waiting.first() > closeThrough)) {
      closeThrough = 0;
    }
  }

  /**
   * Counts on from when the admission could have been, so that the rounding to milliseconds doesn't
   * slow the pace; but not from longer ago, so that nothing is saved up while nobody waits.
   */
  private void advancePace(long now) {
    long micros = now * 1_000;
    long from = micros - paceNextMicros < 1_000 ? paceNextMicros : micros;
    paceNextMicros = from + settings.pace().intervalMicros();
  }

  // Keeping.

  RoomRecord record() {
    return new RoomRecord(
        id, nextTicket, paceNextMicros, closeThrough, progressAt, progressOwed, admitted, outflow);
  }

  /** Hands over what has changed since the last call. */
  void drainTo(Changes changes) {
    changes.room(record());
    dirtyLeaves.drain(number -> changes.waitingLeaf(id, number, waiting.leaf(number)));
    entrants.drainTo(id, changes);
    dirtyActive.forEach((ticket, person) -> changes.active(id, ticket, person.orElse(null)));
    dirtyActive.clear();
  }
}
