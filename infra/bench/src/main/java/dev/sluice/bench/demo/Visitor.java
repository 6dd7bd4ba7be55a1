package dev.sluice.bench.demo;

import dev.sluice.bench.PersonAnswer;
import dev.sluice.contract.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One simulated visitor and all that they have heard so far. Not thread-safe. */
final class Visitor {
  private final String id;
  private final Intent intent;
  private final long sessionTimeoutMillis;
  private final List<Stay> earlier = new ArrayList<>();
  private String session;
  private boolean gone;
  private boolean staying;
  private long ticket;
  private int otherTickets;
  private long lastRank = Long.MAX_VALUE;
  private long rankHeardAt = Long.MIN_VALUE;
  private long versionHeardAt = Long.MIN_VALUE;
  private int rankRises;
  private int olderAnswers;
  private String status;
  private Version version;
  private Version admittedBy;
  private String finalStatus;

  /** The earliest time at which the place last heard of can have ended unseen. */
  private long mayEndAt;

  /** What a visitor came to do. */
  enum Intent {
    /** Waits, stays a while, completes. */
    FINISH,
    /** Loads the page again while waiting, then finishes. */
    RELOAD,
    /** Clicks twice, so that two calls of enter are under way at once, then finishes. */
    DOUBLE_CLICK,
    /** Closes the page while waiting. */
    VANISH_WAITING,
    /** Closes the page once admitted, and never comes back. */
    VANISH_ADMITTED,
    /** Leaves the queue. */
    LEAVE_WAITING,
    /** Leaves once admitted. */
    LEAVE_ADMITTED
  }

  Visitor(String id, Intent intent, Duration sessionTimeout) {
    this.id = id;
    this.intent = intent;
    this.sessionTimeoutMillis = sessionTimeout.toMillis();
  }

  String id() {
    return id;
  }

  Intent intent() {
    return intent;
  }

  String session() {
    return session;
  }

  void session(String issued) {
    session = issued;
  }

  /** Whether an entry was answered with a place. */
  boolean isAcknowledged() {
    return version != null;
  }

  boolean isWaiting() {
    return "WAITING".equals(status);
  }

  /** Whether the visitor asks for nothing more: ended, or vanished. */
  boolean isGone() {
    return gone;
  }

  void go() {
    gone = true;
  }

  /**
   * Notes that the admitted visitor has begun to use the place.
   *
   * @return false if they had already
   */
  boolean beginStay() {
    boolean first = !staying;
    staying = true;
    return first;
  }

  /**
   * Takes in an answer. Another ticket than before is a second place, unless the first can have
   * expired by the time of the new entry, as it may when Sluice is slower than its timeout.
   *
   * <p>Two calls under way at once may be answered in either order; only one sent after another was
   * answered is held against it.
   *
   * @param sentAt when its request was sent, of {@link System#nanoTime}
   */
  void hear(PersonAnswer answer, long sentAt) {
    Version heard = Version.parse(answer.version());
    long now = System.nanoTime();
    if (version != null && version.isNewerThan(heard)) {
      if (sentAt > versionHeardAt) {
        olderAnswers++;
      }
      return;
    }
    if (version == null) {
      ticket = answer.ticket();
    } else if (ticket != answer.ticket()) {
      if (answer.enteredAt() >= mayEndAt) {
        beginAgain(answer.ticket());
      } else {
        otherTickets++;
      }
    }
    if (answer.status().equals("WAITING")) {
      if (sentAt > rankHeardAt && answer.rank() > lastRank) {
        rankRises++;
      }
      lastRank = answer.rank();
      rankHeardAt = now;
    } else if (answer.status().equals("ADMITTED") && admittedBy == null) {
      admittedBy = heard;
    }
    mayEndAt =
        answer.expiresAt() >= 0
            ? answer.expiresAt()
            : System.currentTimeMillis() + sessionTimeoutMillis;
    version = heard;
    versionHeardAt = now;
    status = answer.status();
  }

  private void beginAgain(long newTicket) {
    earlier.add(stay().endedUnseen());
    ticket = newTicket;
    lastRank = Long.MAX_VALUE;
    admittedBy = null;
    staying = false;
  }

  /** Takes in the answer of the roll-call: a person, or none known. */
  void answerRollCall(PersonAnswer answer) {
    if (answer == null) {
      finalStatus = Stay.UNKNOWN;
    } else {
      finalStatus = answer.status();
      Version heard = Version.parse(answer.version());
      if (version != null && version.isNewerThan(heard)) {
        olderAnswers++;
      } else {
        version = heard;
      }
    }
  }

  boolean wasAdmitted() {
    return admittedBy != null;
  }

  /** Places that expired before the visitor entered anew. */
  List<Stay> earlierStays() {
    return earlier;
  }

  Stay stay() {
    return new Stay(
        id,
        isAcknowledged(),
        ticket,
        otherTickets,
        rankRises,
        olderAnswers,
        admittedBy,
        version,
        status,
        finalStatus);
  }
}
