package dev.sluice.bench.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.bench.PersonAnswer;
import dev.sluice.bench.RoomAnswer;
import dev.sluice.bench.SluiceApi;
import dev.sluice.bench.demo.Visitor.Intent;
import dev.sluice.bench.http.HttpLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * The simulation itself: every visitor's timers and calls, the operator's looks at the room, the
 * censuses and the roll-call, all on the thread of one {@link HttpLoop}.
 */
final class OnSale {
  private static final Duration AGAIN = Duration.ofSeconds(1);
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final Duration SILENCE = Duration.ofSeconds(15);
  private static final Duration PAUSE_LIMIT = Duration.ofSeconds(10);
  private static final long SLOWEST_MICROS = TimeUnit.MINUTES.toMicros(5);
  private static final long SHORTEST_POLL_MILLIS = 500;

  private final OnSalePlan plan;
  private final SluiceApi api;
  private final HttpLoop loop;
  private final Random random;
  private final List<Visitor> visitors = new ArrayList<>();
  private final List<Census> censuses = new ArrayList<>();
  private final ArrayDeque<Runnable> held = new ArrayDeque<>();
  private final Histogram enterMicros = new Histogram(SLOWEST_MICROS, 3);
  private final long startedAt = System.nanoTime();

  private Phase phase = Phase.SELLING;
  private int changesUnderWay;
  private int arrived;
  private int admitted;
  private int gone;
  private int asked;
  private int looks;
  private int refused;
  private int again;
  private long mostActive;
  private RoomAnswer room = RoomAnswer.EMPTY;
  private long answeredAt = startedAt;

  /** What is going on, in the order in which it happens. */
  enum Phase {
    SELLING,
    /** The room is paused and everyone waiting is asked. */
    CENSUS,
    /** Everyone is asked how they ended. */
    ROLL_CALL,
    OVER
  }

  OnSale(OnSalePlan plan, SluiceApi api, HttpLoop loop) {
    this.plan = plan;
    this.api = api;
    this.loop = loop;
    this.random = new Random(plan.seed());
    for (int i = 0; i < plan.visitors(); i++) {
      visitors.add(new Visitor("visitor-" + i, drawIntent(), plan.sessionTimeout()));
    }
  }

  /** Sets every timer that starts something; the loop does the rest. */
  void open() {
    for (Visitor visitor : visitors) {
      // Squared, so that the crowd is thickest at the start.
      double when = random.nextDouble();
      long delay = (long) (plan.arrival().toNanos() * when * when);
      loop.at(startedAt + delay, () -> arrive(visitor));
    }
    for (int i = 1; i <= plan.censuses(); i++) {
      loop.after(plan.arrival().multipliedBy(2L * i).dividedBy(3), this::beginCensus);
    }
    look();
  }

  boolean isOver() {
    return phase == Phase.OVER;
  }

  /** Whether the server, though asked all the time, has answered nothing for 15 s. */
  boolean isSilent() {
    return System.nanoTime() - answeredAt > SILENCE.toNanos();
  }

  boolean isOverdue() {
    return System.nanoTime() - startedAt > plan.limit().toNanos();
  }

  Live live() {
    return new Live(
        phase,
        Duration.ofNanos(System.nanoTime() - startedAt),
        plan.visitors(),
        plan.capacity(),
        arrived,
        room.waiting(),
        room.active(),
        admitted,
        gone,
        enterMicros.getValueAtPercentile(50) / 1000.0,
        enterMicros.getValueAtPercentile(99) / 1000.0,
        again,
        refused);
  }

  List<Judge.Finding> findings() {
    return new Judge(plan.capacity()).judge(stays(), censuses, mostActive, looks);
  }

  private List<Stay> stays() {
    return visitors.stream()
        .flatMap(v -> Stream.concat(v.earlierStays().stream(), Stream.of(v.stay())))
        .toList();
  }

  /** How many ended so, by the roll-call. */
  long endedAs(String status) {
    return visitors.stream().filter(v -> status.equals(v.stay().finalStatus())).count();
  }

  private Intent drawIntent() {
    int percent = random.nextInt(100);
    if (percent < 8) {
      return Intent.LEAVE_WAITING;
    } else if (percent < 12) {
      return Intent.VANISH_WAITING;
    } else if (percent < 18) {
      return Intent.VANISH_ADMITTED;
    } else if (percent < 20) {
      return Intent.LEAVE_ADMITTED;
    } else if (percent < 25) {
      return Intent.RELOAD;
    } else if (percent < 30) {
      return Intent.DOUBLE_CLICK;
    }
    return Intent.FINISH;
  }

  private void arrive(Visitor visitor) {
    arrived++;
    send(
        api.issueSession(),
        answer -> {
          visitor.session(answer.person().sessionId());
          enter(visitor);
          if (visitor.intent() == Intent.DOUBLE_CLICK) {
            enter(visitor);
          }
        });
  }

  private void enter(Visitor visitor) {
    change(
        api.enter(visitor.session(), plan.room(), visitor.id()),
        answer -> {
          long micros = (System.nanoTime() - answer.firstSentAt()) / 1000;
          enterMicros.recordValue(Math.min(SLOWEST_MICROS, micros));
          boolean first = !visitor.isAcknowledged();
          if (hear(visitor, answer) == null) {
            go(visitor);
          } else if (first && visitor.isWaiting()) {
            beginWaiting(visitor);
          }
        });
  }

  private void beginWaiting(Visitor visitor) {
    switch (visitor.intent()) {
      case VANISH_WAITING -> go(visitor);
      case LEAVE_WAITING -> loop.after(between(1_000, 10_000), () -> leave(visitor));
      case RELOAD -> loop.after(between(50, 500), () -> reload(visitor));
      default -> {}
    }
    poll(visitor);
  }

  private void reload(Visitor visitor) {
    if (visitor.isWaiting()) {
      enter(visitor);
    }
  }

  private void poll(Visitor visitor) {
    if (visitor.isGone() || !visitor.isWaiting()) {
      return;
    }
    send(
        api.status(visitor.session(), plan.room(), visitor.id()),
        answer -> {
          PersonAnswer person = hear(visitor, answer);
          if (person == null) {
            // Unknown all at once: the roll-call will show it.
            go(visitor);
          } else {
            loop.after(untilNextPoll(person), () -> poll(visitor));
          }
        });
  }

  /** As the server recommends, but sooner as the end of the estimated wait comes near. */
  private static Duration untilNextPoll(PersonAnswer person) {
    long millis = Math.max(SHORTEST_POLL_MILLIS, person.pollMillis());
    if (person.estimatedWaitSeconds() >= 0) {
      millis =
          Math.max(SHORTEST_POLL_MILLIS, Math.min(millis, person.estimatedWaitSeconds() * 500));
    }
    return Duration.ofMillis(millis);
  }

  /**
   * Takes in an answer about a visitor's place and lets an admitted visitor begin their stay.
   *
   * @return what it said, or null if it was refused
   */
  private PersonAnswer hear(Visitor visitor, HttpAnswer answer) {
    if (!answer.isGood()) {
      refused++;
      return null;
    }
    PersonAnswer person = answer.person();
    boolean wasAdmitted = visitor.wasAdmitted();
    visitor.hear(person, answer.sentAt());
    if (!wasAdmitted && visitor.wasAdmitted()) {
      admitted++;
    }
    switch (person.status()) {
      case "WAITING" -> {}
      case "ADMITTED" -> {
        if (!visitor.isGone() && visitor.beginStay()) {
          stay(visitor);
        }
      }
      default -> go(visitor);
    }
    return person;
  }

  private void stay(Visitor visitor) {
    Duration length = between(plan.shortestStay().toMillis(), plan.longestStay().toMillis());
    switch (visitor.intent()) {
      case VANISH_ADMITTED -> go(visitor);
      case LEAVE_ADMITTED -> loop.after(length.dividedBy(2), () -> leave(visitor));
      default -> {
        loop.after(length, () -> complete(visitor));
        heartbeatLater(visitor);
      }
    }
  }

  private void heartbeatLater(Visitor visitor) {
    loop.after(
        plan.sessionTimeout().dividedBy(3),
        () -> {
          if (!visitor.isGone()) {
            send(
                api.heartbeat(visitor.session(), plan.room(), visitor.id()),
                answer -> heartbeatLater(visitor));
          }
        });
  }

  private void complete(Visitor visitor) {
    send(
        api.complete(visitor.session(), plan.room(), visitor.id()),
        answer -> {
          if (answer.isGood()) {
            hear(visitor, answer);
          } else {
            // Too late: the place had expired, as the roll-call will show.
            go(visitor);
          }
        });
  }

  private void leave(Visitor visitor) {
    if (!visitor.isGone()) {
      change(api.leave(visitor.session(), plan.room(), visitor.id()), a -> hear(visitor, a));
    }
  }

  private void go(Visitor visitor) {
    if (!visitor.isGone()) {
      visitor.go();
      gone++;
    }
  }

  private void look() {
    long sentAt = System.nanoTime();
    loop.send(
        api.roomStatus(plan.room()),
        new HttpLoop.Callback() {
          @Override
          public void answered(int status, byte[] body) {
            answeredAt = System.nanoTime();
            if (status == 200) {
              seeRoom(new HttpAnswer(status, new String(body, UTF_8), sentAt, sentAt));
            }
            if (phase != Phase.OVER) {
              loop.after(LOOK, OnSale.this::look);
            }
          }

          @Override
          public void failed(IOException cause) {
            loop.after(LOOK, OnSale.this::look);
          }
        });
  }

  private void seeRoom(HttpAnswer answer) {
    room = answer.room();
    looks++;
    mostActive = Math.max(mostActive, room.active());
    boolean allGone = gone == visitors.size();
    if (phase == Phase.SELLING && allGone && room.waiting() == 0 && room.active() == 0) {
      phase = Phase.ROLL_CALL;
      askAll(
          visitors,
          (visitor, last) -> visitor.answerRollCall(last.isGood() ? last.person() : null),
          () -> phase = Phase.OVER);
    }
  }

  private void beginCensus() {
    if (phase != Phase.SELLING || gone == visitors.size()) {
      return;
    }
    phase = Phase.CENSUS;
    send(
        api.putSetting("admission.state", plan.room(), "\"PAUSED\""),
        answer -> {
          if (!answer.isGood()) {
            throw new DemoFailure("the room could not be paused: " + answer.text());
          }
          takeCensusOncePaused(System.nanoTime());
        });
  }

  private void takeCensusOncePaused(long since) {
    if (System.nanoTime() - since > PAUSE_LIMIT.toNanos()) {
      throw new DemoFailure("the room was not paused within " + PAUSE_LIMIT.toSeconds() + " s");
    }
    if (changesUnderWay > 0 || !"PAUSED".equals(room.state())) {
      loop.after(Duration.ofMillis(20), () -> takeCensusOncePaused(since));
      return;
    }
    List<Census.Place> places = new ArrayList<>();
    askAll(
        visitors.stream().filter(Visitor::isWaiting).toList(),
        (visitor, answer) -> {
          PersonAnswer person = hear(visitor, answer);
          if (person != null && person.status().equals("WAITING")) {
            places.add(new Census.Place(person.ticket(), person.rank(), person.totalWaiting()));
          }
        },
        () -> {
          censuses.add(new Census(places));
          send(api.deleteSetting("admission.state", plan.room()), answer -> endCensus());
        });
  }

  private void endCensus() {
    phase = Phase.SELLING;
    Runnable next = held.pollFirst();
    while (next != null) {
      next.run();
      next = held.pollFirst();
    }
  }

  private void askAll(
      List<Visitor> whom, BiConsumer<Visitor, HttpAnswer> reply, Runnable afterwards) {
    asked = whom.size();
    if (whom.isEmpty()) {
      afterwards.run();
    }
    for (Visitor visitor : whom) {
      send(
          api.status(visitor.session(), plan.room(), visitor.id()),
          answer -> {
            reply.accept(visitor, answer);
            asked--;
            if (asked == 0) {
              afterwards.run();
            }
          });
    }
  }

  /** Sends what adds or removes waiting people; during a census it is held back until after. */
  private void change(byte[] request, Consumer<HttpAnswer> then) {
    if (phase == Phase.CENSUS) {
      held.addLast(() -> change(request, then));
      return;
    }
    changesUnderWay++;
    send(
        request,
        answer -> {
          changesUnderWay--;
          then.accept(answer);
        });
  }

  /** Sends until there is an answer that asking again later can't better. */
  private void send(byte[] request, Consumer<HttpAnswer> then) {
    send(request, System.nanoTime(), then);
  }

  private void send(byte[] request, long firstSentAt, Consumer<HttpAnswer> then) {
    long sentAt = System.nanoTime();
    loop.send(
        request,
        new HttpLoop.Callback() {
          @Override
          public void answered(int status, byte[] body) {
            answeredAt = System.nanoTime();
            HttpAnswer answer =
                new HttpAnswer(status, new String(body, UTF_8), sentAt, firstSentAt);
            if (answer.isPassing() || answer.isPending()) {
              sendAgain();
            } else {
              then.accept(answer);
            }
          }

          @Override
          public void failed(IOException cause) {
            sendAgain();
          }

          private void sendAgain() {
            again++;
            loop.after(AGAIN, () -> send(request, firstSentAt, then));
          }
        });
  }

  private Duration between(long leastMillis, long mostMillis) {
    return Duration.ofMillis(leastMillis + random.nextLong(mostMillis - leastMillis + 1));
  }
}
