package dev.sluice.bench.push;

import java.util.concurrent.ThreadLocalRandom;

/**
 * One person who waits and comes back: connects, subscribes as the waiting page does, and after a
 * drop connects again by the rules of the browser's client (full jitter from the first retry on,
 * RECONNECT_SOON at the moment the server chose). Of its loop's thread; what it has heard may be
 * read by any.
 */
final class Waiter implements StompLoop.Listener {
  private static final long BACKOFF_BASE_MILLIS = 3_000;
  private static final long BACKOFF_CAP_MILLIS = 30_000;
  private static final long CONNECT_AT_MOST_MILLIS = 10_000;
  private static final long STABLE_NANOS = 10_000_000_000L;
  private static final byte[] RANK = StompLoop.ascii("\"rank\":");
  private static final byte[] DELAY = StompLoop.ascii("\"delayMs\":");
  private static final char ADMISSION = '0';
  private static final char RANKS = '2';
  private static final char SERVER = '4';

  private final StompLoop loop;
  private final Waiters all;
  private final String name;
  private final String session;
  private final long ticket;
  private StompClient client;
  private int attempt;
  private long liveSince;
  private long returnAtNanos;
  private boolean subscribed;
  private boolean told;
  private boolean toldAdmission;

  private volatile long rank;
  private volatile long admittedAtNanos;
  private volatile boolean live;

  Waiter(StompLoop loop, Waiters all, String name, String session, long ticket) {
    this.loop = loop;
    this.all = all;
    this.name = name;
    this.session = session;
    this.ticket = ticket;
  }

  /** The same person among {@code others}, not connected yet. */
  Waiter among(StompLoop othersLoop, Waiters others) {
    return new Waiter(othersLoop, others, name, session, ticket);
  }

  void connect() {
    all.arrives();
    subscribed = false;
    liveSince = 0;
    told = false;
    toldAdmission = false;
    StompClient opening = loop.open(all.server(), session, this);
    client = opening;
    loop.after(
        CONNECT_AT_MOST_MILLIS,
        () -> {
          if (opening == client && liveSince == 0) {
            opening.end(0);
          }
        });
  }

  @Override
  public void connected(StompClient from) {
    if (from != client) {
      return;
    }
    liveSince = System.nanoTime();
    client.subscribe(0, "/topic/admission/" + name, Pushes.ROOM, false);
    client.subscribe(1, "/topic/timeout/" + name, Pushes.ROOM, false);
    client.subscribe(2, "/topic/rank/" + name, Pushes.ROOM, false);
    client.subscribe(3, "/topic/stats/" + Pushes.ROOM, null, false);
    client.subscribe(4, "/topic/server", null, true);
    client.flush();
  }

  @Override
  public void receipt(StompClient from) {
    if (from == client) {
      subscribed = true;
      knows();
    }
  }

  @Override
  public void message(StompClient from, byte[] frame, int start, int end, long at) {
    if (from != client) {
      return;
    }
    switch (People.subscription(frame, start, end)) {
      case ADMISSION -> {
        if (admittedAtNanos == 0) {
          admittedAtNanos = at;
        }
        if (toldAdmission) {
          all.toldTwice();
        }
        toldAdmission = true;
        told = true;
        knows();
      }
      case RANKS -> {
        long now = Stamps.find(frame, start, end, RANK);
        if (rank != 0 && now > rank) {
          all.rankRose();
        }
        rank = now;
        all.heardRank(at);
        told = true;
        knows();
      }
      case SERVER -> {
        long delay = Stamps.find(frame, start, end, DELAY);
        returnAtNanos = System.nanoTime() + delay * 1_000_000;
        loop.after(delay, this::comeBack);
      }
      default -> {}
    }
  }

  /** At the moment that the server chose. */
  private void comeBack() {
    if (returnAtNanos != 0) {
      returnAtNanos = 0;
      live = false;
      if (client.isOpen()) {
        all.dropped(0);
        client.drop();
      }
      connect();
    }
  }

  /** Subscribed, and told since then how things stand. */
  private void knows() {
    if (subscribed && told && !live) {
      live = true;
      all.knows();
    }
  }

  @Override
  public void ended(StompClient from, int status) {
    if (from != client) {
      return;
    }
    live = false;
    all.dropped(status);
    if (returnAtNanos != 0) {
      return;
    }
    if (liveSince != 0 && System.nanoTime() - liveSince >= STABLE_NANOS) {
      attempt = 0;
    }
    liveSince = 0;
    long ceiling = Math.min(BACKOFF_CAP_MILLIS, BACKOFF_BASE_MILLIS << Math.min(attempt++, 10));
    loop.after(ThreadLocalRandom.current().nextLong(ceiling), this::connect);
  }

  /**
   * Whether it was told what is true.
   *
   * @param admitted so many have been, those with the lowest tickets
   */
  boolean isRight(long admitted) {
    return ticket <= admitted ? isAdmitted() : !isAdmitted() && rank == ticket - admitted;
  }

  boolean isAdmitted() {
    return admittedAtNanos != 0;
  }

  /** By {@link System#nanoTime}. */
  long admittedAtNanos() {
    return admittedAtNanos;
  }

  /** Connected, subscribed and told how things stand since. */
  boolean isLive() {
    return live;
  }

  String name() {
    return name;
  }
}
