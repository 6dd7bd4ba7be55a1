package dev.sluice.notifier;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.identity.PassCheck;
import dev.sluice.identity.Session;
import dev.sluice.notifier.connection.Refusal;
import dev.sluice.notifier.connection.StompConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Push over real sockets, with rooms in memory behind it. */
final class NotifierSocketTest {
  private static final Pattern DELAY = Pattern.compile("\"delayMs\":(\\d+)");
  private static final Pattern RANK = Pattern.compile("\"rank\":(\\d+)");

  private final FakeRooms rooms = new FakeRooms();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  @Test
  void aPersonWaitsMovesUpAndIsAdmittedWithAPass() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());
    Session session = server.session();
    rooms.enter("r", "first", "someone else");
    rooms.enter("r", "u", session.hash());
    StompClient client = connect(server, session);
    client.subscribed("rank", "/topic/rank/u", "room:r");
    client.subscribed("admission", "/topic/admission/u", "room:r");

    rooms.leave("r", "first");
    client.nextWith("\"rank\":1,");
    rooms.admit("r", "u");

    String admitted = client.nextWith("REDIRECT_TO_SEATS");
    assertThat(admitted).contains("subscription:admission", "\"roomId\":\"r\"");
    String pass = admitted.replaceAll("(?s).*\"pass\":\"([^\"]+)\".*", "$1");
    assertThat(server.passes.verify(pass, "r", 0)).isInstanceOf(PassCheck.Valid.class);
  }

  @Test
  void anAdmissionRightAfterSubscribingIsToldExactlyOnce() throws Exception {
    NotifierServer server = serve(NotifierServer.settings("frame-rate=10000"));
    Session session = server.session();
    StompClient client = connect(server, session);
    for (int i = 0; i < 200; i++) {
      rooms.enter("r", "u" + i, session.hash());
      client.subscribe("s" + i % 30 + "-" + i, "/topic/admission/u" + i, "room:r");
      rooms.admit("r", "u" + i);
      client.nextWith("\"requestId\":\"u" + i + "\"");
      client.send("UNSUBSCRIBE\nid:s" + i % 30 + "-" + i + "\n\n\0");
    }
    client.send("UNSUBSCRIBE\nid:none\nreceipt:end\n\n\0");
    client.nextWith("receipt-id:end");

    assertThat(client.all()).filteredOn(frame -> frame.startsWith("MESSAGE")).hasSize(200);
    assertThat(server.notifier.table().isEmpty()).isTrue();
  }

  @Test
  void whatHappensWhileManySubscribeIsInTheirSnapshotOrComesAfterIt() throws Exception {
    NotifierServer server = serve(NotifierServer.settings("frame-rate=10000"));
    Session session = server.session();
    int people = 400;
    for (int i = 0; i < people; i++) {
      rooms.enter("r", "u" + i, session.hash());
    }
    StompClient one = connect(server, session);
    StompClient other = connect(server, session);

    CompletableFuture<Void> admitting =
        CompletableFuture.runAsync(
            () -> IntStream.range(0, people).forEach(i -> rooms.admit("r", "u" + i)));
    for (int i = 0; i < people; i++) {
      for (StompClient client : List.of(one, other)) {
        client.subscribe("" + i, "/topic/admission/u" + i, "receipt:" + i);
        client.nextWith("\"requestId\":\"u" + i + "\"");
        client.send("UNSUBSCRIBE\nid:" + i + "\n\n\0");
      }
    }
    admitting.get(20, TimeUnit.SECONDS);

    for (StompClient client : List.of(one, other)) {
      client.subscribed("end", "/topic/server");
      assertThat(client.all()).filteredOn(frame -> frame.startsWith("MESSAGE")).hasSize(people);
    }
  }

  @Test
  void closingOneThatReadsNothingReturnsAtOnceAndIsOneClose() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());
    Session session = server.session();
    RawClient stuck = keep(RawClient.connect(server.port(), session));
    stuck.send("SUBSCRIBE\nid:0\ndestination:/topic/timeout/u\nreceipt:r\n\n\0");
    stuck.read();
    StompConnection connection = server.notifier.connections().all().get(0);
    // Until a send is blocked: from then on something waits behind it.
    while (server.notifier.connections().outboxBytes() < 10_000) {
      long sent = server.notifier.counters().sent();
      long waiting = server.notifier.connections().outboxBytes();
      rooms.enter("r", "u", session.hash());
      rooms.expire("r", "u", "TIMEOUT");
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(
              () ->
                  server.notifier.counters().sent() > sent
                      || server.notifier.connections().outboxBytes() > waiting);
    }

    long begun = System.nanoTime();
    connection.leave(1012, "first");
    connection.leave(1001, "second");
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofMillis(500));

    await().until(() -> server.notifier.connections().size() == 0);
    assertThat(server.notifier.counters().closed()).isEqualTo(1);
    assertThat(server.notifier.table().isEmpty()).isTrue();
    assertThat(stuck.closeCode()).isIn(1012, -1);
  }

  @Test
  void twoTabsGetOneCopyEachAndClosingOneLeavesTheOther() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());
    Session session = server.session();
    StompClient one = connect(server, session);
    StompClient two = connect(server, session);
    one.subscribed("a", "/topic/admission/u");
    two.subscribed("a", "/topic/admission/u");

    enterAndAdmit(session);
    one.nextWith("MESSAGE");
    two.nextWith("MESSAGE");
    two.close();
    await().until(() -> server.notifier.connections().size() == 1);
    enterAndAdmit(session);
    one.nextWith("MESSAGE");

    one.subscribed("b", "/topic/server");
    assertThat(one.all()).filteredOn(frame -> frame.startsWith("MESSAGE")).hasSize(2);
  }

  @Test
  void everyNotifierTellsItsOwnConnectionsOnce() throws Exception {
    NotifierServer a = serve(NotifierServer.settings());
    NotifierServer b = serve(NotifierServer.settings());
    Session session = a.session();
    StompClient atA = connect(a, session);
    StompClient atB = connect(b, session);
    atA.subscribed("a", "/topic/admission/u");
    atB.subscribed("a", "/topic/admission/u");

    enterAndAdmit(session);

    for (StompClient client : List.of(atA, atB)) {
      client.nextWith("MESSAGE");
      client.subscribed("end", "/topic/server");
      assertThat(client.all()).filteredOn(frame -> frame.startsWith("MESSAGE")).hasSize(1);
    }
  }

  @Test
  void anotherSessionsPersonIsAnErrorAndTheEnd() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());
    rooms.enter("r", "u", server.session().hash());
    StompClient client = connect(server, server.session());
    client.subscribe("0", "/topic/rank/u");

    assertThat(client.next()).startsWith("ERROR\n").contains("\"status\":403");
    assertThat(client.closeCode()).isEqualTo(1008);
  }

  @Test
  void theSessionMayComeWithTheHandshakesCookie() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());
    Session session = server.session();
    rooms.enter("r", "u", session.hash());
    StompClient client =
        keep(
            StompClient.open(
                server.port(), "Cookie", "other=1; SLUICE_SESSION=" + session.token()));
    client.send("CONNECT\naccept-version:1.2\nhost:x\n\n\0");
    client.nextWith("CONNECTED");
    client.subscribe("0", "/topic/rank/u");

    assertThat(client.next()).contains("\"rank\":1,");
  }

  @Test
  void framesMayComeAsBytesAndInPieces() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());
    StompClient client = connect(server, server.session());
    String frame = "SUBSCRIBE\nid:0\ndestination:/topic/stats/r\nreceipt:r1\n\n\0";
    client.sendBytes(frame.substring(0, 20).getBytes(UTF_8));
    client.send(frame.substring(20) + "\n\nUNSUBSCRIBE\nid:0\nreceipt:r2\n\n\0");

    client.nextWith("receipt-id:r1");
    client.nextWith("receipt-id:r2");
  }

  @Test
  void aFrameThatIsTooLongIsRefusedAndAMessageFarTooLongIsCutOff() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());
    StompClient client = connect(server, server.session());
    client.send("SUBSCRIBE\nid:" + "x".repeat(5000) + "\n\n\0");
    assertThat(client.next()).startsWith("ERROR\n").contains("\"status\":400");
    assertThat(client.closeCode()).isEqualTo(1002);

    StompClient worse = connect(server, server.session());
    worse.send("SUBSCRIBE\nid:" + "x".repeat(20_000) + "\n\n\0");
    assertThat(worse.closeCode()).isEqualTo(1009);
    await().until(() -> server.notifier.connections().size() == 0);
  }

  @Test
  void aClientThatStopsReadingRanksResumesWithTheNewest() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());
    Session session = server.session();
    int ahead = 250;
    for (int i = 0; i < ahead; i++) {
      rooms.enter("r", "p" + i, "someone else");
    }
    rooms.enter("r", "u", session.hash());
    RawClient stuck = keep(RawClient.connect(server.port(), session));
    stuck.send("SUBSCRIBE\nid:0\ndestination:/topic/rank/u\nroom:r\n\n\0");
    assertThat(rank(stuck.read())).isEqualTo(ahead + 1);
    StompClient reading = connect(server, session);
    reading.subscribed("0", "/topic/rank/u", "room:r");

    for (int i = 0; i < ahead; i++) {
      rooms.leave("r", "p" + i);
      reading.nextWith("\"rank\":" + (ahead - i) + ",");
    }

    assertThat(server.notifier.connections().outboxBytes()).isLessThan(16 * 1024);
    assertThat(server.notifier.counters().replaced()).isPositive();
    int last = ahead + 1;
    while (last > 1) {
      int next = rank(stuck.read());
      assertThat(next).isLessThanOrEqualTo(last);
      last = next;
    }
  }

  @Test
  void aClientThatStopsReadingWhatMustBeDeliveredIsLetGoAndNobodyElseNotices() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());
    Session session = server.session();
    RawClient stuck = keep(RawClient.connect(server.port(), session));
    stuck.send("SUBSCRIBE\nid:0\ndestination:/topic/timeout/u\nreceipt:r\n\n\0");
    stuck.read();
    StompClient reading = connect(server, session);
    reading.subscribed("0", "/topic/timeout/u");

    int timeouts = 0;
    while (server.notifier.counters().overflows() == 0) {
      rooms.enter("r", "u", session.hash());
      rooms.expire("r", "u", "TIMEOUT");
      reading.nextWith("EXPIRED");
      timeouts++;
      assertThat(timeouts).isLessThan(5000);
      assertThat(server.notifier.connections().outboxBytes()).isLessThan(20 * 1024);
    }

    await().until(() -> server.notifier.connections().size() == 1);
    assertThat(reading.isClosed()).isFalse();
  }

  @Test
  void whoeverNeverSendsAFrameIsClosed() throws Exception {
    NotifierServer server =
        serve(NotifierServer.settings("connect-within=300ms", "heartbeat=20s", "silence=50s"));
    StompClient client = keep(StompClient.open(server.port()));

    assertThat(client.closeCode()).isEqualTo(1008);
    await().until(() -> server.notifier.connections().size() == 0);
  }

  @Test
  void aHalfOpenSocketIsDroppedAndAClientWithSleepingTimersIsNot() throws Exception {
    NotifierServer server =
        serve(NotifierServer.settings("connect-within=10s", "heartbeat=400ms", "silence=3s"));
    Session session = server.session();
    StompClient sleeping = connect(server, session);
    RawClient halfOpen = keep(RawClient.connect(server.port(), session));
    assertThat(server.notifier.connections().size()).isEqualTo(2);

    await().atMost(Duration.ofSeconds(20)).until(() -> server.notifier.connections().size() == 1);

    assertThat(halfOpen.handshake()).contains(" 101 ");
    sleeping.subscribed("0", "/topic/server");
    assertThat(server.notifier.counters().silent()).isEqualTo(1);
  }

  @Test
  void theServerBeats() throws Exception {
    NotifierServer server =
        serve(NotifierServer.settings("connect-within=10s", "heartbeat=100ms", "silence=50s"));
    RawClient client = keep(new RawClient(server.port()));
    client.send("CONNECT\naccept-version:1.2\nheart-beat:0,100\n\n\0");

    assertThat(client.read()).contains("heart-beat:100,100");
    assertThat(client.read()).isEqualTo("\n");
    assertThat(client.read()).isEqualTo("\n");
  }

  @Test
  void connectionsCutOffLeaveNothingBehind() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());
    Session session = server.session();
    rooms.enter("r", "u", session.hash());
    for (int i = 0; i < 200; i++) {
      try (RawClient client = RawClient.connect(server.port(), session)) {
        client.send("SUBSCRIBE\nid:0\ndestination:/topic/rank/u\n\n\0");
        client.send("SUBSCRIBE\nid:1\ndestination:/topic/stats/r\n\n\0");
        client.send("SUBSCRIBE\nid:2\ndestination:/topic/room/r\n\n\0");
        client.send("SUBSCRIBE\nid:3\ndestination:/topic/server\n\n\0");
        client.send("SUBSCRIBE\nid:4\ndestination:/topic/hot\n\n\0");
        if (i % 2 == 0) {
          client.read();
        }
      }
    }

    await().until(() -> server.notifier.connections().size() == 0);
    assertThat(server.notifier.connections().all()).isEmpty();
    assertThat(server.notifier.table().isEmpty()).isTrue();
    assertThat(server.notifier.counters().closed()).isEqualTo(200);
    await().until(() -> server.notifier.rooms().rooms() == 0);
  }

  @Test
  void onLeavingClientsAreToldSpreadOutAndClosedInTimeWhateverTheyDo() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());
    List<StompClient> clients = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      StompClient client = connect(server, server.session());
      client.subscribed("0", "/topic/server");
      clients.add(client);
    }
    RawClient neverAcknowledges = keep(RawClient.connect(server.port(), server.session()));
    long begun = System.nanoTime();

    var gone = server.notifier.leave();

    assertThat(handshake(server, "X: y")).contains(" 503 ").contains("Retry-After");
    List<Integer> delays = new ArrayList<>();
    for (StompClient client : clients) {
      String soon = client.next();
      assertThat(soon).contains("\"type\":\"RECONNECT_SOON\"", "\"reason\":\"SERVER_SHUTDOWN\"");
      Matcher delay = DELAY.matcher(soon);
      assertThat(delay.find()).isTrue();
      delays.add(Integer.parseInt(delay.group(1)));
      assertThat(client.closeCode()).isEqualTo(1012);
    }
    assertThat(delays).doesNotHaveDuplicates().allMatch(delay -> delay <= 210);
    assertThat(gone).succeedsWithin(Duration.ofSeconds(10));
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
    assertThat(server.notifier.connections().size()).isZero();
    assertThatThrownBy(
            () -> {
              while (true) {
                neverAcknowledges.read();
              }
            })
        .isInstanceOf(IOException.class);
  }

  @Test
  void whoWaitsForItsTimeToLeaveIsToldOfAdmissionsAndOfNoRanksOrFigures() throws Exception {
    NotifierServer server = serve(NotifierServer.settings("rank-sync=10ms", "leave-window=5s"));
    Session session = server.session();
    rooms.enter("r", "u", session.hash());
    rooms.enter("r", "v", session.hash());
    List<StompClient> clients = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      StompClient client = connect(server, session);
      client.subscribed("0", "/topic/server");
      client.subscribed("1", "/topic/rank/v", "room:r");
      client.subscribed("2", "/topic/stats/r");
      client.subscribed("3", "/topic/admission/u", "room:r");
      clients.add(client);
    }
    clients.get(0).nextWith("\"type\":\"stats\"");

    var gone = server.notifier.leave();
    rooms.admit("r", "u");

    assertThat(gone).succeedsWithin(Duration.ofSeconds(10));
    List<String> afterwards = new ArrayList<>();
    int told = 0;
    for (StompClient client : clients) {
      List<String> all = client.all();
      int soon = 0;
      while (!all.get(soon).contains("RECONNECT_SOON")) {
        soon++;
      }
      List<String> rest = all.subList(soon + 1, all.size());
      told += rest.stream().anyMatch(frame -> frame.contains("\"ADMITTED\"")) ? 1 : 0;
      // A round may have been under way.
      rest.stream().filter(NotifierSocketTest::isRankOrStats).skip(2).forEach(afterwards::add);
    }
    assertThat(told).isGreaterThan(clients.size() / 2);
    assertThat(afterwards).isEmpty();
  }

  private static boolean isRankOrStats(String frame) {
    return frame.contains("\"type\":\"rank\"") || frame.contains("\"type\":\"stats\"");
  }

  @Test
  void leavingWithNobodyThereTakesNoTime() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());

    assertThat(server.notifier.leave()).succeedsWithin(Duration.ofSeconds(5));
  }

  @Test
  void pagesOfOtherOriginsMayNotConnect() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());

    assertThat(handshake(server, "Origin: https://evil.example"))
        .contains(" 403 ")
        .contains("application/problem+json");
    assertThat(handshake(server, "Origin: http://127.0.0.1:" + server.port())).contains(" 101 ");
  }

  @Test
  void compressionIsDeclined() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());

    assertThat(handshake(server, "X: y")).contains(" 101 ").doesNotContain("deflate");
  }

  @Test
  void whatIsNoHandshakeIsToldSo() throws Exception {
    NotifierServer server = serve(NotifierServer.settings());

    assertThat(handshake(server, "Plain: yes")).contains(" 426 ").contains("Upgrade: websocket");
  }

  @Test
  void connectionsAreLimitedAndThereIsRoomAgain() throws Exception {
    NotifierServer server = serve(NotifierServer.settings("max-connections=2"));
    connect(server, server.session());
    StompClient second = connect(server, server.session());
    assertThat(handshake(server, "X: y")).contains(" 503 ").contains("Retry-After");

    second.close();
    await().until(() -> server.notifier.connections().size() == 1);
    assertThat(handshake(server, "X: y")).contains(" 101 ");
  }

  @Test
  void handshakesAreLimitedByTheSecondAndOthersRefusalsCostNothing() throws Exception {
    NotifierServer server = serve(NotifierServer.settings("accept-rate=1"));
    for (int i = 0; i < 5; i++) {
      assertThat(handshake(server, "Origin: https://evil.example")).contains(" 403 ");
      assertThat(handshake(server, "Plain: yes")).contains(" 426 ");
    }
    assertThat(handshake(server, "X: y")).contains(" 101 ");

    assertThat(handshake(server, "X: y"))
        .contains(" 429 ", "Retry-After: 1\r\n", "application/problem+json");
    await().until(() -> handshake(server, "X: y").contains(" 101 "));
    assertThat(server.notifier.counters().refused(Refusal.ORIGIN)).isEqualTo(5);
    assertThat(server.notifier.counters().refused(Refusal.RATE)).isPositive();
  }

  private NotifierServer serve(PushSettings settings) throws Exception {
    NotifierServer server = new NotifierServer(rooms, settings);
    opened.add(server);
    return server;
  }

  private StompClient connect(NotifierServer server, Session session) throws Exception {
    return keep(StompClient.connect(server.port(), session));
  }

  private <T extends AutoCloseable> T keep(T closeable) {
    opened.add(closeable);
    return closeable;
  }

  private String handshake(NotifierServer server, String header) throws Exception {
    return keep(new RawClient(server.port(), header)).handshake();
  }

  private void enterAndAdmit(Session session) {
    rooms.enter("r", "u", session.hash());
    rooms.admit("r", "u");
  }

  private static int rank(String frame) {
    Matcher rank = RANK.matcher(frame);
    assertThat(rank.find()).as(frame).isTrue();
    return Integer.parseInt(rank.group(1));
  }
}
