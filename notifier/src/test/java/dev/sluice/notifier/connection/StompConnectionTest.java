package dev.sluice.notifier.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.Outcome;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Version;
import dev.sluice.identity.AdminRule;
import dev.sluice.identity.PassKey;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Session;
import dev.sluice.identity.Sessions;
import dev.sluice.notifier.FakeFeeds;
import dev.sluice.notifier.FakeRooms;
import dev.sluice.notifier.push.Bodies;
import dev.sluice.notifier.push.HotPushes;
import dev.sluice.notifier.push.OutcomePushes;
import dev.sluice.notifier.push.PresentState;
import dev.sluice.notifier.push.RankRounds;
import dev.sluice.notifier.push.RoomPushes;
import dev.sluice.notifier.push.StatsRounds;
import dev.sluice.notifier.routing.PersonKey;
import dev.sluice.notifier.routing.RoutingTable;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection's rules, on a socket and a clock that do as they are told. */
final class StompConnectionTest {
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final Clock CLOCK =
      Clock.fixed(Instant.parse("2026-11-29T12:00:00Z"), ZoneOffset.UTC);
  private static final AdminRule.Call CALL =
      new AdminRule.Call("127.0.0.1", Set.of("Host"), null, "localhost:8080", null);
  private static final ConnectionLimits LIMITS =
      new ConnectionLimits(
          1024,
          4,
          50,
          4096,
          4096,
          8,
          Duration.ofSeconds(10),
          Duration.ofSeconds(20),
          Duration.ofSeconds(50),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5));

  private final Sessions sessions = new Sessions("a secret of tests");
  private final Session mine = sessions.issue();
  private final Session other = sessions.issue();
  private final FakeRooms rooms = new FakeRooms();
  private final RoutingTable table = new RoutingTable();
  private final PushCounters counters = new PushCounters();
  private final AtomicLong nanos = new AtomicLong();
  private final Connections connections =
      new Connections(1_000_000, new Rate(1_000_000, nanos::get), counters);
  private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
  private final Executor workers = Runnable::run;
  private final Bodies bodies = new Bodies(new Passes(PassKey.generate()), CLOCK);
  private final PresentState presentState = new PresentState(rooms, bodies, timer, workers);
  private final StatsRounds stats = new StatsRounds(table, rooms, bodies, workers);
  private final RankRounds ranks = new RankRounds(table, rooms, presentState, bodies, workers);
  private final FakeFeeds feeds = new FakeFeeds();
  private final RoomPushes roomPushes =
      new RoomPushes(table, feeds.sources(), bodies, timer, workers, nanos::get, () -> 0.5);
  private final HotPushes hotPushes = new HotPushes(table, feeds, bodies);
  private AdminRule admins = new AdminRule(null);
  private AdminRule.Call call = CALL;
  private final FakeWire wire = new FakeWire();
  private StompConnection connection;

  @BeforeEach
  void open() {
    var unused =
        rooms.follow(new OutcomePushes(table, bodies, stats, (person, task) -> task.run()));
    roomPushes.begin();
    unused = feeds.sources().events().follow(table::isFollowed, roomPushes);
    hotPushes.begin();
    connections.accept();
    connection = open(wire, null);
  }

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  @Test
  void connectsWithTheSessionOfTheFrame() {
    connect(mine);

    assertThat(wire.frames()).hasSize(1);
    assertThat(wire.lastFrame()).startsWith("CONNECTED\nversion:1.2\n").contains("20000,20000");
  }

  @Test
  void connectsWithTheSessionOfTheHandshake() {
    FakeWire otherWire = new FakeWire();
    StompConnection byCookie = open(otherWire, mine.token());
    byCookie.received("CONNECT\naccept-version:1.1,1.2\nhost:x\n\n\0");
    rooms.enter("r", "u", mine.hash());

    byCookie.received("SUBSCRIBE\nid:0\ndestination:/topic/rank/u\n\n\0");

    assertThat(otherWire.lastFrame()).startsWith("MESSAGE\n").contains("\"rank\":1");
  }

  @Test
  void aForgedSessionIsRefused() {
    connection.received("CONNECT\naccept-version:1.2\nSluice-Session:" + mine.token() + "x\n\n\0");

    assertThat(wire.lastFrame()).startsWith("ERROR\n").contains("\"status\":401");
    assertThat(wire.closes()).isEqualTo(1);
  }

  @Test
  void withoutASessionOnlyWhatConcernsNobodyIsTold() {
    connection.received("CONNECT\naccept-version:1.2\n\n\0");
    subscribe("0", "/topic/stats/r", "");
    assertThat(wire.lastFrame()).startsWith("MESSAGE\n").contains("\"type\":\"stats\"");

    subscribe("1", "/topic/rank/u", "");
    assertThat(wire.lastFrame()).startsWith("ERROR\n").contains("\"status\":401");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SUBSCRIBE\nid:0\ndestination:/topic/server\n\n\0",
        "CONNECT\n\n\0",
        "CONNECT\naccept-version:1.0,1.1\n\n\0",
        "CONNECT\naccept-version:1.2\nheart-beat:soon\n\n\0",
        "CONNECT\naccept-version:1.2\n\n\0CONNECT\naccept-version:1.2\n\n\0",
        "CONNECT\naccept-version:1.2\n\n\0SEND\ndestination:/topic/server\n\nhello\0",
        "CONNECT\naccept-version:1.2\n\n\0SUBSCRIBE\ndestination:/topic/server\n\n\0",
        "CONNECT\naccept-version:1.2\n\n\0SUBSCRIBE\nid:0\n\n\0",
        "CONNECT\naccept-version:1.2\n\n\0SUBSCRIBE\nid:0\ndestination:/topic/none\n\n\0",
        "CONNECT\naccept-version:1.2\n\n\0SUBSCRIBE\nid:0\ndestination:/topic/server\nack:client\n\n\0",
        "CONNECT\naccept-version:1.2\n\n\0SUBSCRIBE\nid:0\ndestination:/topic/stats/a\nroom:a/b\n\n\0",
        "CONNECT\naccept-version:1.2\n\n\0UNSUBSCRIBE\n\n\0",
        "GET / HTTP/1.1\r\n\r\n\0",
        "\0"
      })
  void anythingMalformedIsAnErrorAndTheEnd(String text) {
    connection.received(text);
    connection.received("SUBSCRIBE\nid:9\ndestination:/topic/server\n\n\0");

    assertThat(wire.lastFrame()).startsWith("ERROR\n").contains("application/problem+json");
    assertThat(wire.closes()).isEqualTo(1);
    assertThat(table.isEmpty()).isTrue();
  }

  @Test
  void aReceiptComesOnlyAfterRegistrationAndTheFirstLook() {
    connect(mine);
    rooms.hold();
    subscribe("0", "/topic/rank/u", "receipt:r1\n");
    assertThat(wire.lastFrame()).startsWith("CONNECTED\n");
    assertThat(table.peopleCount()).isEqualTo(1);

    rooms.release();

    assertThat(wire.lastFrame()).isEqualTo("RECEIPT\nreceipt-id:r1\n\n\0");
  }

  @Test
  void anotherSessionsPersonIsAnErrorWithTheReceiptIdAndTellsNothing() {
    rooms.enter("r", "u", other.hash());
    connect(mine);
    subscribe("0", "/topic/rank/u", "receipt:r1\nroom:r\n");

    assertThat(wire.lastFrame()).startsWith("ERROR\n").contains("receipt-id:r1", "\"status\":403");
    assertThat(wire.frames()).hasSize(2);
    assertThat(wire.closeCode()).isEqualTo(1008);
    assertThat(table.isEmpty()).isTrue();
  }

  @Test
  void anotherSessionsPersonIsAnErrorAlsoWithoutTheRoom() {
    rooms.enter("r", "u", other.hash());
    connect(mine);
    subscribe("0", "/topic/admission/u", "");

    assertThat(wire.lastFrame()).startsWith("ERROR\n").contains("\"status\":403");
  }

  @Test
  void severalRefusalsAreOneError() {
    rooms.enter("r", "u", other.hash());
    connect(mine);
    rooms.hold();
    subscribe("0", "/topic/rank/u", "room:r\n");
    subscribe("1", "/topic/admission/u", "room:r\n");
    subscribe("2", "/topic/timeout/u", "room:r\n");
    rooms.release();

    assertThat(wire.frames().stream().filter(frame -> frame.startsWith("ERROR"))).hasSize(1);
    assertThat(wire.closeCode()).isEqualTo(1008);
  }

  @Test
  void ofOneNameInSeveralRoomsOnlyThoseOfTheSessionAreTold() {
    rooms.enter("a", "u", other.hash());
    rooms.enter("b", "u", mine.hash());
    connect(mine);
    subscribe("0", "/topic/rank/u", "");
    subscribe("1", "/topic/admission/u", "");

    rooms.admit("a", "u");
    rooms.admit("b", "u");

    assertThat(wire.frames().subList(1, wire.frames().size()))
        .hasSize(2)
        .allSatisfy(frame -> assertThat(frame).contains("\"roomId\":\"b\"", "\"movieId\":\"b\""));
  }

  @Test
  void aPersonNotYetKnownMayBeSubscribedToAndIsToldOnceTheyEnter() {
    connect(mine);
    subscribe("0", "/topic/rank/u", "room:r\n");
    assertThat(wire.frames()).hasSize(1);

    rooms.enter("r", "u", mine.hash());
    ranks.run(false);

    assertThat(wire.lastFrame()).contains("\"rank\":1", "\"totalWaiting\":1");
  }

  @Test
  void whatHappensWhileThePresentStateIsLookedUpIsToldOnceAndInOrder() {
    rooms.enter("r", "u", mine.hash());
    connect(mine);
    rooms.hold();
    subscribe("0", "/topic/rank/u", "room:r\n");
    subscribe("1", "/topic/admission/u", "room:r\n");
    rooms.admit("r", "u");
    rooms.release();

    assertThat(wire.frames()).hasSize(2);
    assertThat(wire.lastFrame())
        .contains("subscription:1", "\"status\":\"ADMITTED\"", "\"version\":\"0:1:0\"", "\"pass\"");
  }

  @Test
  void thePresentStateIsToldOnEachKindOfDestination() {
    rooms.enter("r", "w", mine.hash());
    rooms.enter("r", "a", mine.hash());
    rooms.admit("r", "a");
    rooms.enter("r", "e", mine.hash());
    rooms.expire("r", "e", "TIMEOUT");
    connect(mine);

    subscribe("0", "/topic/rank/w", "");
    assertThat(wire.lastFrame())
        .contains("\"type\":\"rank\"", "\"rank\":1", "\"estimatedWaitSeconds\":null");
    subscribe("1", "/topic/admission/a", "");
    assertThat(wire.lastFrame())
        .contains("\"type\":\"admission\"", "\"action\":\"REDIRECT_TO_SEATS\"", "\"ticket\":2")
        .contains("\"expiresAt\":\"2096-10-02T07:06:40Z\"");
    subscribe("2", "/topic/timeout/e", "");
    assertThat(wire.lastFrame()).contains("\"type\":\"timeout\"", "\"reason\":\"TIMEOUT\"");
  }

  @Test
  void withoutASureAnswerItAsksAgain() {
    rooms.enter("r", "u", mine.hash());
    connect(mine);
    rooms.fail(1);
    subscribe("0", "/topic/rank/u", "room:r\nreceipt:r1\n");
    assertThat(wire.lastFrame()).startsWith("RECEIPT\n");

    Awaitility.await().until(() -> wire.frames().size() == 3);
    assertThat(wire.lastFrame()).contains("\"rank\":1");
  }

  @Test
  void whoeverHasGoneIsNotAskedForAgain() {
    connect(mine);
    rooms.fail(Integer.MAX_VALUE);
    subscribe("0", "/topic/rank/u", "room:r\n");
    subscribe("1", "/topic/rank/v", "");
    assertThat(timer.getQueue()).hasSize(2);

    connection.received("UNSUBSCRIBE\nid:0\n\n\0");
    connection.ended();

    Awaitility.await().until(() -> timer.getQueue().isEmpty());
  }

  @Test
  void aRoundThatGetsNoAnswerIsFollowedByOneThatDoes() {
    rooms.enter("r", "p", other.hash());
    rooms.enter("r", "u", mine.hash());
    connect(mine);
    subscribe("0", "/topic/rank/u", "");
    rooms.leave("r", "p");
    rooms.fail(1);
    ranks.run(false);
    assertThat(wire.lastFrame()).contains("\"rank\":2,");

    ranks.run(false);

    assertThat(wire.lastFrame()).contains("\"rank\":1,");
  }

  @Test
  void oneIdTwiceForTheSameIsOneSubscription() {
    connect(mine);
    subscribe("0", "/topic/rank/u", "receipt:r1\n");
    subscribe("0", "/topic/rank/u", "receipt:r2\n");
    assertThat(wire.lastFrame()).isEqualTo("RECEIPT\nreceipt-id:r2\n\n\0");
    connection.received("UNSUBSCRIBE\nid:0\n\n\0");

    assertThat(table.isEmpty()).isTrue();
    assertThat(connection.subscriptionCount()).isZero();
  }

  @Test
  void oneIdForAnotherDestinationIsAnError() {
    connect(mine);
    subscribe("0", "/topic/rank/u", "");
    subscribe("0", "/topic/rank/v", "receipt:r\n");

    assertThat(wire.lastFrame()).startsWith("ERROR\n").contains("receipt-id:r");
    assertThat(table.isEmpty()).isTrue();
  }

  @Test
  void unsubscribingFromNothingIsNoError() {
    connect(mine);
    connection.received("UNSUBSCRIBE\nid:7\nreceipt:r\n\n\0");

    assertThat(wire.lastFrame()).isEqualTo("RECEIPT\nreceipt-id:r\n\n\0");
  }

  @Test
  void whoSubscribesAndUnsubscribesInALoopIsStopped() {
    connect(mine);

    for (int i = 0; i < 49; i++) {
      connection.received(
          i % 2 == 0
              ? "SUBSCRIBE\nid:0\ndestination:/topic/stats/r\n\n\0"
              : "UNSUBSCRIBE\nid:0\n\n\0");
    }
    assertThat(wire.closes()).isZero();
    connection.received("UNSUBSCRIBE\nid:0\n\n\0");

    assertThat(wire.lastFrame()).startsWith("ERROR\n").contains("\"status\":429");
    assertThat(wire.closes()).isEqualTo(1);
    assertThat(table.isEmpty()).isTrue();
  }

  @Test
  void whoSendsFramesSlowlyMaySendAnyNumber() {
    connect(mine);

    for (int i = 0; i < 500; i++) {
      nanos.addAndGet(20_000_000);
      connection.received("UNSUBSCRIBE\nid:0\n\n\0");
    }

    assertThat(wire.closes()).isZero();
  }

  @Test
  void subscriptionsAreLimited() {
    connect(mine);
    for (int i = 0; i < 4; i++) {
      subscribe("" + i, "/topic/stats/r" + i, "");
    }
    subscribe("4", "/topic/stats/r4", "");

    assertThat(wire.lastFrame()).startsWith("ERROR\n").contains("\"status\":429");
  }

  @Test
  void disconnectingIsConfirmedThenClosed() {
    connect(mine);
    connection.received("DISCONNECT\nreceipt:bye\n\n\0");

    assertThat(wire.lastFrame()).isEqualTo("RECEIPT\nreceipt-id:bye\n\n\0");
    assertThat(wire.closes()).isEqualTo(1);
    assertThat(wire.closeCode()).isEqualTo(1000);
  }

  @Test
  void ofFiveThousandPeopleWhoeverIsMeantHearsItAndNoOtherConnectionIsTouched() {
    List<FakeWire> wires = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      FakeWire theirs = new FakeWire();
      StompConnection their = open(theirs, mine.token());
      their.received("CONNECT\naccept-version:1.2\n\n\0");
      their.received("SUBSCRIBE\nid:0\ndestination:/topic/admission/p" + i + "\n\n\0");
      rooms.enter("r", "p" + i, mine.hash());
      wires.add(theirs);
    }
    assertThat(table.peopleCount()).isEqualTo(5_000);

    for (int i = 0; i < wires.size(); i += 10) {
      rooms.admit("r", "p" + i);
    }

    for (int i = 0; i < wires.size(); i++) {
      assertThat(wires.get(i).frames()).hasSize(i % 10 == 0 ? 2 : 1);
    }
    assertThat(wires.get(1_230).lastFrame()).contains("\"requestId\":\"p1230\"");
  }

  @Test
  void twoTabsOfOnePersonGetOneCopyEachAndClosingOneLeavesTheOther() {
    FakeWire secondWire = new FakeWire();
    StompConnection second = open(secondWire, mine.token());
    second.received("CONNECT\naccept-version:1.2\n\n\0");
    second.received("SUBSCRIBE\nid:x\ndestination:/topic/admission/u\n\n\0");
    connect(mine);
    subscribe("0", "/topic/admission/u", "");
    rooms.enter("r", "u", mine.hash());

    rooms.admit("r", "u");
    assertThat(wire.frames()).hasSize(2);
    assertThat(secondWire.frames()).hasSize(2);

    second.ended();
    rooms.enter("r", "u", mine.hash());
    rooms.admit("r", "u");
    assertThat(wire.frames()).hasSize(3);
    assertThat(secondWire.frames()).hasSize(2);
  }

  @Test
  void anOutcomeReadTwiceIsToldOnce() {
    connect(mine);
    subscribe("0", "/topic/admission/u", "");
    Outcome outcome =
        new Outcome.PersonChanged(
            "r",
            "u",
            mine.hash(),
            PersonStatus.ADMITTED,
            1,
            5000,
            null,
            new Receipt(0, 1, 0),
            new Version(0, 9, 0),
            0);
    rooms.tell(outcome);
    rooms.tell(outcome);

    assertThat(wire.frames()).hasSize(2);
  }

  @Test
  void whatComesByASecondWayIsToldAtOnceAndNotAgainByAStreamThatWasStuck() {
    rooms.enter("r", "u", mine.hash());
    connect(mine);
    subscribe("0", "/topic/admission/u", "");
    subscribe("1", "/topic/timeout/u", "");
    rooms.silence();
    rooms.admit("r", "u");
    rooms.expire("r", "u", "TIMEOUT");
    rooms.enter("r", "u", mine.hash());
    rooms.admit("r", "u");
    List<Outcome> stuck = rooms.untold();

    List.of(0, 1, 3).forEach(relayed -> rooms.tell(stuck.get(relayed)));
    assertThat(told("ADMITTED")).isEqualTo(2);
    assertThat(told("EXPIRED")).isEqualTo(1);
    stuck.forEach(rooms::tell);

    assertThat(told("ADMITTED")).isEqualTo(2);
    assertThat(told("EXPIRED")).isEqualTo(1);
  }

  @Test
  void twoWaysThatTellAtTheSameTimeTellEachPersonOnce() throws Exception {
    int people = 500;
    List<FakeWire> wires = new ArrayList<>();
    for (int i = 0; i < people; i++) {
      rooms.enter("r", "u" + i, mine.hash());
      FakeWire each = new FakeWire();
      wires.add(each);
      StompConnection one = open(each, mine.token());
      one.received("CONNECT\naccept-version:1.2\n\n\0");
      one.received("SUBSCRIBE\nid:0\ndestination:/topic/admission/u" + i + "\n\n\0");
    }
    rooms.silence();
    for (int i = 0; i < people; i++) {
      rooms.admit("r", "u" + i);
    }
    List<Outcome> outcomes = rooms.untold();

    CompletableFuture<Void> stream =
        CompletableFuture.runAsync(() -> outcomes.forEach(rooms::tell));
    outcomes.forEach(rooms::tell);
    stream.get(20, TimeUnit.SECONDS);

    assertThat(wires)
        .allSatisfy(
            each -> assertThat(each.frames()).filteredOn(f -> f.contains("ADMITTED")).hasSize(1));
  }

  private long told(String status) {
    return wire.frames().stream().filter(frame -> frame.contains(status)).count();
  }

  @Test
  void unsubscribingWhileThePresentStateIsLookedUpTellsAndLeavesNothing() {
    rooms.enter("r", "u", mine.hash());
    connect(mine);
    rooms.hold();
    subscribe("0", "/topic/rank/u", "receipt:r1\n");
    connection.received("UNSUBSCRIBE\nid:0\nreceipt:r2\n\n\0");
    assertThat(table.isEmpty()).isTrue();
    rooms.release();
    ranks.run(true);

    assertThat(wire.frames()).hasSize(3);
    assertThat(wire.frames().subList(1, 3)).allMatch(frame -> frame.startsWith("RECEIPT"));
    assertThat(table.isEmpty()).isTrue();
  }

  @Test
  void figuresThatComeAfterUnsubscribingAreNotTold() {
    connect(mine);
    rooms.hold();
    for (int i = 0; i < 20; i++) {
      subscribe("0", "/topic/stats/r", "");
      connection.received("UNSUBSCRIBE\nid:0\n\n\0");
    }
    rooms.release();

    assertThat(wire.frames()).hasSize(1);
    assertThat(connection.outboxBytes()).isZero();
  }

  @Test
  void anIdTakenAgainWhileItsFirstLookIsOnItsWayHearsThePresentStateOnce() {
    rooms.enter("r", "u", mine.hash());
    connect(mine);
    rooms.hold();
    subscribe("0", "/topic/rank/u", "");
    connection.received("UNSUBSCRIBE\nid:0\n\n\0");
    subscribe("0", "/topic/rank/u", "receipt:r\n");
    rooms.release();

    assertThat(wire.frames()).filteredOn(frame -> frame.startsWith("MESSAGE")).hasSize(1);
    connection.received("UNSUBSCRIBE\nid:0\n\n\0");
    assertThat(table.isEmpty()).isTrue();
    assertThat(connection.subscriptionCount()).isZero();
  }

  @Test
  void aClientThatStopsReadingKeepsOnlyTheNewestRankAndResumesWithIt() {
    for (int i = 0; i < 100; i++) {
      rooms.enter("r", "p" + i, other.hash());
    }
    rooms.enter("r", "u", mine.hash());
    connect(mine);
    wire.stopReading();
    subscribe("0", "/topic/rank/u", "");
    for (int i = 0; i < 100; i++) {
      rooms.leave("r", "p" + i);
      ranks.run(false);
    }
    assertThat(wire.blockedSends()).isEqualTo(1);
    assertThat(connection.outboxBytes()).isLessThan(2000);

    wire.readOn();

    assertThat(wire.frames()).hasSize(3);
    assertThat(wire.lastFrame()).contains("\"rank\":1,");
    assertThat(counters.replaced()).isEqualTo(99);
  }

  @Test
  void aClientThatStopsReadingWhatMustBeDeliveredCostsItsOwnConnection() {
    connect(mine);
    wire.stopReading();
    subscribe("0", "/topic/timeout/u", "");
    for (int i = 0; i < 20; i++) {
      rooms.enter("r", "u", mine.hash());
      rooms.expire("r", "u", "TIMEOUT");
    }

    assertThat(wire.closes()).isEqualTo(1);
    assertThat(wire.closeCode()).isEqualTo(1013);
    assertThat(connection.outboxBytes()).isLessThan(1000);
    assertThat(table.isEmpty()).isTrue();

    pass(LIMITS.closeWithin());
    assertThat(wire.drops()).isEqualTo(1);
    assertThat(connections.size()).isZero();
    assertThat(counters.overflows()).isEqualTo(1);
  }

  @Test
  void aFrameThatTheSocketNeverTakesEndsTheConnection() {
    connect(mine);
    wire.stopReading();
    subscribe("0", "/topic/stats/r", "");
    connection.heard();

    pass(LIMITS.sendWithin().minusSeconds(2));
    assertThat(wire.drops()).isZero();
    connection.heard();
    pass(Duration.ofSeconds(2));
    assertThat(wire.drops()).isEqualTo(1);
  }

  @Test
  void closingWhileASendIsBlockedReturnsAtOnceAndClosesOnce() {
    connect(mine);
    subscribe("0", "/topic/stats/r", "");
    wire.stopReading();
    rooms.enter("r", "u", mine.hash());
    stats.run();
    assertThat(wire.blockedSends()).isEqualTo(1);

    connection.leave(1012, "restart");
    connection.leave(1012, "restart");
    assertThat(wire.closes()).isZero();
    wire.readOn();
    connection.leave(1012, "restart");

    assertThat(wire.closes()).isEqualTo(1);
    assertThat(wire.closeCode()).isEqualTo(1012);
  }

  @Test
  void aSendThatFailsEndsTheConnection() {
    connect(mine);
    wire.stopReading();
    subscribe("0", "/topic/stats/r", "");
    wire.breakOff();

    assertThat(wire.drops()).isEqualTo(1);
    assertThat(connections.size()).isZero();
    assertThat(table.isEmpty()).isTrue();
    connection.ended();
    connection.drop();
    assertThat(counters.closed()).isEqualTo(1);
  }

  @Test
  void aSlowReaderThatTakesWhatItIsSentIsNotTakenForSilent() {
    connect(mine);
    subscribe("0", "/topic/stats/r", "");
    rooms.enter("r", "u", mine.hash());
    wire.stopReading();
    stats.run();
    for (int load = 0; load < 8; load++) {
      for (int second = 0; second < 9; second++) {
        stats.run();
        connection.flushNow();
        pass(Duration.ofSeconds(1));
      }
      wire.readOn();
      wire.stopReading();
      stats.run();
      connection.flushNow();
    }

    assertThat(wire.drops()).isZero();
  }

  @Test
  void aServerThatLeavesTakesNobodyEvenWhenItsStreamsAreThereAtLast() {
    connections.refuse();
    connections.accept();

    assertThat(connections.isAccepting()).isFalse();
    assertThat(connections.admit()).contains(Refusal.NOT_ACCEPTING);
  }

  @Test
  void aVersionAmongOthersMayStandBehindASpace() {
    connection.received("CONNECT\naccept-version:1.1, 1.2\nhost:x\n\n\0");

    assertThat(wire.lastFrame()).startsWith("CONNECTED\n");
  }

  @Test
  void olderFiguresAreNotToldAfterNewer() {
    connect(mine);
    rooms.enter("r", "a", other.hash());
    rooms.hold();
    subscribe("0", "/topic/stats/r", "");
    stats.run();
    rooms.enter("r", "b", other.hash());
    assertThat(wire.frames()).hasSize(1);

    rooms.releaseNewestFirst();
    stats.run();
    connection.flushNow();

    assertThat(wire.lastFrame()).contains("\"totalWaiting\":2");
  }

  @Test
  void aSlowOwnerIsNotAskedForFiguresAgainWhileItIsBeingAsked() {
    connect(mine);
    subscribe("0", "/topic/stats/r", "");
    rooms.hold();
    for (int i = 0; i < 30; i++) {
      rooms.enter("r", "u" + i, other.hash());
      stats.run();
    }

    assertThat(rooms.heldAnswers()).isEqualTo(1);
    rooms.release();
    stats.run();
    connection.flushNow();
    assertThat(wire.lastFrame()).contains("\"totalWaiting\":30");
  }

  @Test
  void whoeverNeverConnectsIsClosedHoweverLively() {
    for (int i = 0; i < 9; i++) {
      pass(Duration.ofSeconds(1));
      connection.heard();
      connection.received("\n");
    }
    assertThat(wire.closes()).isZero();
    pass(Duration.ofSeconds(1));

    assertThat(wire.closes()).isEqualTo(1);
    pass(LIMITS.closeWithin());
    assertThat(wire.drops()).isEqualTo(1);
  }

  @Test
  void aSilentClientIsPingedThenDropped() {
    connect(mine);
    pass(Duration.ofSeconds(19));
    assertThat(wire.pings()).isEqualTo(1);
    pass(Duration.ofSeconds(21));
    assertThat(wire.pings()).isEqualTo(2);
    assertThat(wire.drops()).isZero();
    pass(Duration.ofSeconds(10));

    assertThat(wire.drops()).isEqualTo(1);
    assertThat(connections.size()).isZero();
  }

  @Test
  void aClientWhoseTimersSleepButAnswersPingsStays() {
    connect(mine);
    for (int i = 0; i < 600; i++) {
      int pings = wire.pings();
      pass(Duration.ofSeconds(1));
      if (wire.pings() > pings) {
        connection.heard();
      }
    }

    assertThat(wire.drops()).isZero();
  }

  @Test
  void theServerBeatsWhenItHasNothingElseToSayAndOnlyIfAsked() {
    connect(mine);
    for (int i = 0; i < 60; i++) {
      pass(Duration.ofSeconds(1));
      connection.received("\n");
    }
    assertThat(wire.heartbeats()).isBetween(3L, 4L);

    FakeWire quiet = new FakeWire();
    StompConnection unasked = open(quiet, null);
    unasked.received("CONNECT\naccept-version:1.2\nheart-beat:20000,0\n\n\0");
    for (int i = 0; i < 60; i++) {
      pass(Duration.ofSeconds(1));
      unasked.received("\n");
    }
    assertThat(quiet.heartbeats()).isZero();
  }

  @Test
  void afterAnyNumberOfConnectionsNothingIsLeftBehind() {
    for (int i = 0; i < 100_000; i++) {
      FakeWire cycleWire = new FakeWire();
      // Only some with a session: verifying one takes longer than all the rest.
      StompConnection cycle = open(cycleWire, i % 10 == 0 ? mine.token() : null);
      cycleWire.onDrop(cycle::ended);
      cycle.received("CONNECT\naccept-version:1.2\n\n\0");
      cycle.received("SUBSCRIBE\nid:0\ndestination:/topic/stats/r\n\n\0");
      cycle.received("SUBSCRIBE\nid:1\ndestination:/topic/server\n\n\0");
      cycle.received("SUBSCRIBE\nid:2\ndestination:/topic/rank/u" + i % 50 + "\n\n\0");
      if (i % 2 == 0) {
        cycle.drop();
      } else {
        cycle.ended();
      }
    }
    connection.ended();
    stats.run();

    assertThat(connections.size()).isZero();
    assertThat(connections.all()).isEmpty();
    assertThat(table.isEmpty()).isTrue();
    assertThat(stats.busyRooms()).isZero();
    assertThat(counters.opened()).isEqualTo(counters.closed());
  }

  @Test
  void amongFiveThousandPeopleOnlyTheOneConcernedIsLookedAt() {
    List<FakeWire> wires = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      FakeWire each = new FakeWire();
      StompConnection one = open(each, mine.token());
      one.received("CONNECT\naccept-version:1.2\n\n\0");
      one.received("SUBSCRIBE\nid:0\ndestination:/topic/admission/u" + i + "\n\n\0");
      wires.add(each);
    }
    assertThat(table.peopleCount()).isEqualTo(5_000);
    assertThat(table.ofPerson(new PersonKey("u777", mine.hash()))).hasSize(1);

    rooms.enter("r", "u777", mine.hash());
    rooms.admit("r", "u777");

    assertThat(wires).filteredOn(each -> each.frames().size() == 2).hasSize(1);
    assertThat(wires.get(777).lastFrame()).contains("\"requestId\":\"u777\"");
  }

  @Test
  void onLeavingEveryoneIsToldBeforeAnyoneIsClosedHoweverShortTheWindow() {
    List<FakeWire> wires = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      FakeWire each = new FakeWire();
      StompConnection one = open(each, null);
      one.received("CONNECT\naccept-version:1.2\n\n\0");
      one.received("SUBSCRIBE\nid:0\ndestination:/topic/server\n\n\0");
      each.onClose(one::ended);
      wires.add(each);
    }
    wire.onClose(connection::ended);
    Departure departure =
        new Departure(connections, table, bodies, timer, Duration.ZERO, Duration.ofSeconds(20));

    assertThat(departure.begin()).succeedsWithin(Duration.ofSeconds(30));

    assertThat(connections.admit()).contains(Refusal.NOT_ACCEPTING);
    assertThat(wires)
        .allSatisfy(
            each -> {
              assertThat(each.lastFrame()).contains("RECONNECT_SOON", "\"delayMs\":0");
              assertThat(each.closeCode()).isEqualTo(1012);
              assertThat(each.drops()).isZero();
            });
  }

  @Test
  void aLostOutcomeIsMadeGoodByTheFullRounds() {
    rooms.enter("r", "u", mine.hash());
    connect(mine);
    subscribe("0", "/topic/admission/u", "room:r\n");
    rooms.silence();
    rooms.admit("r", "u");
    assertThat(wire.frames()).hasSize(1);

    ranks.run(true);
    ranks.run(true);

    assertThat(wire.lastFrame()).contains("\"status\":\"ADMITTED\"");
  }

  @Test
  void figuresAreShownWhileAnyoneWaitsAndOnceMoreThenNotAskedFor() {
    connect(mine);
    subscribe("0", "/topic/stats/movie/r", "");
    assertThat(wire.lastFrame())
        .contains("destination:/topic/stats/movie/r", "\"totalWaiting\":0", "\"capacity\":200")
        .contains("\"state\":\"OPEN\"");
    stats.run();
    assertThat(wire.frames()).hasSize(2);

    rooms.enter("r", "u", mine.hash());
    stats.run();
    stats.run();
    assertThat(wire.frames()).hasSize(4);
    assertThat(wire.lastFrame()).contains("\"totalWaiting\":1");

    rooms.admit("r", "u");
    stats.run();
    stats.run();
    assertThat(wire.frames()).hasSize(5);
    assertThat(wire.lastFrame()).contains("\"totalWaiting\":0", "\"active\":1");
    assertThat(rooms.roomQueries()).isEqualTo(4);
  }

  @Test
  void whatWasSaidJustBeforeTheFirstFollowerCameIsKnownToThem() {
    connect(mine);
    feeds.stand("lobby", 6);
    feeds.lag("lobby");
    feeds.say("lobby");

    subscribe("0", "/topic/room/lobby", "");

    assertThat(wire.lastFrame()).contains("\"cursor\":\"7\"");
  }

  @Test
  void oneSnapshotServesARoomHoweverManyWait() {
    connect(mine);
    for (int i = 0; i < 4; i++) {
      rooms.enter("r", "u" + i, mine.hash());
      subscribe("" + i, "/topic/rank/u" + i, "");
    }
    ranks.run(true);

    assertThat(rooms.waitingQueries()).isEqualTo(1);
    assertThat(wire.frames()).hasSize(9);
    assertThat(wire.lastFrame()).contains("\"estimatedWaitSeconds\":");
  }

  @Test
  void aFullRoundThatMeetsAnotherOnItsWayIsNotLost() {
    rooms.enter("r", "u", mine.hash());
    connect(mine);
    subscribe("0", "/topic/rank/u", "");
    assertThat(wire.frames()).hasSize(2);

    rooms.hold();
    ranks.run(false);
    ranks.run(true);
    ranks.run(false);
    rooms.release();

    assertThat(rooms.waitingQueries()).isEqualTo(1);
    assertThat(wire.frames()).hasSize(3);
    ranks.run(false);
    assertThat(rooms.waitingQueries()).isEqualTo(2);
    assertThat(wire.frames()).hasSize(3);
  }

  @Test
  void operatorsAreToldWhichRoomsAreHotAndHowThatChanges() {
    feeds.turnHot("lobby", 6_000);
    connection.received("CONNECT\naccept-version:1.2\n\n\0");
    subscribe("0", "/topic/hot", "receipt:r\n");
    assertThat(wire.frames().get(1)).startsWith("RECEIPT");
    assertThat(wire.lastFrame())
        .contains("\"type\":\"hot\",\"status\":\"HOT\",\"roomId\":\"lobby\",\"because\":\"room\"")
        .contains("\"rate\":6000,\"threshold\":5000,\"window\":5,\"since\":\"1970")
        .contains("\"timestamp\":\"2026-11-29T12:00:00Z\"");

    feeds.turnHot("lobby", 7_000);
    assertThat(wire.lastFrame()).contains("\"status\":\"HOT\"", "\"rate\":7000");
    feeds.cool("lobby");
    assertThat(wire.lastFrame()).contains("\"status\":\"COOLED\"", "\"rate\":7000");
    assertThat(wire.frames()).hasSize(5);
  }

  @Test
  void anOperatorWhoReadsSlowlyHearsOfEachRoomInTheEnd() {
    for (int i = 0; i < 50; i++) {
      feeds.turnHot("r" + i, 6_000);
    }
    connection.received("CONNECT\naccept-version:1.2\n\n\0");
    wire.stopReading();
    subscribe("0", "/topic/hot", "");
    feeds.cool("r49");
    assertThat(connection.outboxBytes()).isLessThan(LIMITS.outboxBytes());

    while (wire.frames().size() < 51) {
      wire.readOn();
      wire.stopReading();
      hotPushes.run();
    }

    assertThat(counters.overflows()).isZero();
    for (int i = 0; i < 50; i++) {
      String room = "\"" + (i == 49 ? "COOLED" : "HOT") + "\",\"roomId\":\"r" + i + "\"";
      assertThat(wire.frames()).filteredOn(frame -> frame.contains(room)).hasSize(1);
    }
  }

  @Test
  void whoIsAnOperatorIsJudgedByTheHandshakeOrByTheFrame() {
    assertThat(answerToHot(null, CALL, "")).startsWith("CONNECTED");
    AdminRule.Call proxied =
        new AdminRule.Call("127.0.0.1", Set.of("Via"), null, "localhost:8080", null);
    assertThat(answerToHot(null, proxied, "")).startsWith("ERROR").contains("\"status\":403");
    AdminRule.Call foreignPage =
        new AdminRule.Call(
            "127.0.0.1", Set.of("Origin"), null, "localhost:8080", "https://evil.example");
    assertThat(answerToHot(null, foreignPage, "")).startsWith("ERROR").contains("\"status\":403");

    assertThat(answerToHot("t", CALL, "")).startsWith("ERROR").contains("\"status\":401");
    assertThat(answerToHot("t", proxied, "Authorization:Bearer t\n")).startsWith("CONNECTED");
    assertThat(answerToHot("t", proxied, "Authorization:Bearer x\n")).contains("\"status\":401");
    AdminRule.Call withToken =
        new AdminRule.Call("10.0.0.1", Set.of("Authorization"), "Bearer t", "sluice", null);
    assertThat(answerToHot("t", withToken, "")).startsWith("CONNECTED");
  }

  /** The last frame after subscribing; CONNECTED when nothing was wrong, since no room is hot. */
  private String answerToHot(String token, AdminRule.Call from, String header) {
    admins = new AdminRule(token);
    call = from;
    FakeWire to = new FakeWire();
    StompConnection opened = open(to, null);
    opened.received("CONNECT\naccept-version:1.2\n" + header + "\n\0");
    opened.received("SUBSCRIBE\nid:0\ndestination:/topic/hot\n\n\0");
    return to.lastFrame();
  }

  @Test
  void aFollowerOfARoomIsToldHowThingsAreThenEachEvent() {
    feeds.stand("lobby", 41);
    connection.received("CONNECT\naccept-version:1.2\n\n\0");
    subscribe("0", "/topic/room/lobby", "receipt:r\n");
    assertThat(wire.lastFrame())
        .endsWith("{\"type\":\"room\",\"roomId\":\"lobby\",\"cursor\":\"41\",\"hot\":false}\0");
    roomPushes.said("lobby", 42);
    assertThat(wire.lastFrame()).contains("\"cursor\":\"42\"");
    subscribe("1", "/topic/room/lobby", "");
    assertThat(wire.lastFrame()).contains("subscription:1", "\"cursor\":\"42\"");
    assertThat(feeds.queries()).isEqualTo(1);

    connection.received("UNSUBSCRIBE\nid:0\n\n\0UNSUBSCRIBE\nid:1\n\n\0");
    roomPushes.said("lobby", 43);
    assertThat(wire.frames()).hasSize(5);
    assertThat(roomPushes.rooms()).isZero();
    assertThat(table.isEmpty()).isTrue();
  }

  @Test
  void aFollowerOfARoomThatCannotBeAskedIsToldThatNothingIsKnown() {
    feeds.failQueries();
    connection.received("CONNECT\naccept-version:1.2\n\n\0");
    subscribe("0", "/topic/room/lobby", "");
    assertThat(wire.lastFrame()).contains("\"cursor\":\"-1\"");

    roomPushes.said("lobby", 7);
    assertThat(wire.lastFrame()).contains("\"cursor\":\"7\"");
    subscribe("1", "/topic/room/lobby", "");
    assertThat(wire.lastFrame()).contains("subscription:1", "\"cursor\":\"7\"");
  }

  @Test
  void whatIsSaidOrTurnsWhileTheCursorIsAskedForIsNotOvertakenByTheAnswer() {
    feeds.stand("lobby", 41);
    feeds.hold();
    connection.received("CONNECT\naccept-version:1.2\n\n\0");
    subscribe("0", "/topic/room/lobby", "");
    feeds.turnHot("lobby", 6_000);
    assertThat(wire.lastFrame()).contains("\"cursor\":\"-1\",\"hot\":true");
    roomPushes.said("lobby", 42);
    feeds.release();

    assertThat(wire.lastFrame()).contains("\"cursor\":\"42\",\"hot\":true");
    assertThat(wire.frames()).noneMatch(frame -> frame.contains("\"cursor\":\"41\""));
  }

  @Test
  void aConnectionThatSubscribesTwiceCountsOnceInTheAudience() {
    connection.received("CONNECT\naccept-version:1.2\n\n\0");
    subscribe("0", "/topic/room/lobby", "");
    subscribe("1", "/topic/room/lobby", "");
    FakeWire otherWire = new FakeWire();
    StompConnection second = open(otherWire, null);
    second.received("CONNECT\naccept-version:1.2\n\n\0");
    second.received("SUBSCRIBE\nid:0\ndestination:/topic/room/lobby\n\n\0");
    assertThat(table.audience("lobby")).isEqualTo(2);

    connection.received("UNSUBSCRIBE\nid:0\n\n\0");
    assertThat(table.audience("lobby")).isEqualTo(2);
    connection.drop();
    second.drop();
    assertThat(table.audience("lobby")).isZero();
    assertThat(table.isEmpty()).isTrue();
  }

  private StompConnection open(FakeWire on, String handshakeToken) {
    ConnectionServices services =
        new ConnectionServices(
            sessions,
            admins,
            table,
            presentState,
            stats,
            roomPushes,
            hotPushes,
            connections,
            counters,
            StompConnection::flushNow,
            nanos::get);
    StompConnection opened =
        new StompConnection("c", on, new Handshake(handshakeToken, call), services, LIMITS);
    connections.add(opened);
    return opened;
  }

  private void connect(Session session) {
    connection.received(
        "CONNECT\naccept-version:1.2\nhost:x\nheart-beat:20000,20000\nSluice-Session:"
            + session.token()
            + "\n\n\0");
  }

  private void subscribe(String id, String destination, String headers) {
    connection.received(
        "SUBSCRIBE\nid:" + id + "\ndestination:" + destination + "\n" + headers + "\n\0");
  }

  /** Lets time pass in ticks. */
  private void pass(Duration time) {
    for (long tick = 0; tick < time.toSeconds(); tick++) {
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
      connections.tick(TICK);
    }
  }
}
