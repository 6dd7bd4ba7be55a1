package dev.sluice.notifier;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.identity.Session;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Clients that do what no client should, over real sockets: each costs itself alone. Beside them a
 * person waits, who is served all the while and at the end.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostileClientTest {
  private static final int FIN_TEXT = 0x81;
  private static final int FIN_BINARY = 0x82;
  private static final int TEXT = 0x01;
  private static final int CONTINUATION = 0x00;
  private static final int FIN_CONTINUATION = 0x80;
  private static final int CLOSE = 0x88;
  private static final int PING = 0x89;

  private final FakeRooms rooms = new FakeRooms();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private NotifierServer server;
  private Session session;
  private StompClient bystander;
  private int served;

  @BeforeAll
  void serve() throws Exception {
    server = new NotifierServer(rooms, NotifierServer.settings("frame-rate=1000000"));
    session = server.session();
    rooms.enter("r", "u", session.hash());
    bystander = StompClient.connect(server.port(), server.session());
  }

  @AfterAll
  void stop() throws Exception {
    bystander.close();
    server.close();
  }

  @AfterEach
  void allButTheBystanderAreGoneWithAllTheyHad() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    opened.clear();
    await().until(() -> server.notifier.connections().size() == 1);
    await().until(() -> server.notifier.table().isEmpty());
    assertThat(server.notifier.connections().subscriptionCount()).isZero();
    bystander.send("UNSUBSCRIBE\nid:none\nreceipt:served-" + ++served + "\n\n\0");
    bystander.nextWith("receipt-id:served-" + served);
  }

  @Test
  void garbageIsAnErrorAndTheEnd() throws Exception {
    for (String garbage :
        List.of(
            "\0",
            "GET / HTTP/1.1\r\n\r\n",
            "CONNECT\n\0",
            "connect\n\n\0",
            "CONNECT\naccept-version\n\n\0",
            "CONNECT\n:x\n\n\0",
            "SUBSCRIBE\nid:0\ndestination:/topic/server\n\n\0",
            "CONNECT\naccept-version:1.2\ncontent-length:-1\n\n\0",
            "CONNECT\naccept-version:1.2\ncontent-length:99999999999\n\n\0",
            "CONNECT\naccept-version:1.2\n\nbody\0",
            "CONNECT\naccept-version:1.2\nheart-beat:a,b\n\n\0",
            "CONNECT\naccept-version:1.2\nheart-beat:-1,0\n\n\0",
            "CONNECT\naccept-version:1.2\n" + "h:x\n".repeat(33) + "\n\0")) {
      RawClient client = raw();
      client.send(garbage);
      assertThat(client.read()).as(garbage).startsWith("ERROR\n").contains("\"status\":400");
      assertThat(client.closeCode()).as(garbage).isEqualTo(1002);
    }
  }

  @Test
  void anyBytesInFramesOfAnyKindHarmNobody() throws Exception {
    Random random = new Random(7);
    for (int i = 0; i < 200; i++) {
      RawClient client = i % 2 == 0 ? connected() : raw();
      byte[] bytes = new byte[random.nextInt(120)];
      random.nextBytes(bytes);
      try {
        client.send(random.nextBoolean() ? FIN_BINARY : random.nextInt(256), bytes);
        client.write(bytes);
      } catch (IOException e) {
        assertThat(e).hasMessageNotContaining("timed out");
      }
      client.close();
    }
  }

  @Test
  void framesThatWebSocketForbidsAreCutOff() throws Exception {
    assertThat(closeCodeAfter(0x83, 1)).as("unknown opcode").isEqualTo(1002);
    assertThat(closeCodeAfter(0xc1, 1)).as("reserved bit").isEqualTo(1002);
    assertThat(closeCodeAfter(FIN_CONTINUATION, 1)).as("nothing to continue").isEqualTo(1002);
    assertThat(closeCodeAfter(0x09, 1)).as("fragmented ping").isEqualTo(1002);
    assertThat(closeCodeAfter(PING, 126)).as("long ping").isEqualTo(1002);
    assertThat(closeCodeAfter(CLOSE, 1)).as("half a close code").isEqualTo(1002);
    RawClient unmasked = connected();
    unmasked.write((byte) FIN_TEXT, (byte) 1, (byte) 'x');
    assertThat(unmasked.closeCode()).isEqualTo(1002);
    RawClient notText = connected();
    notText.send(FIN_TEXT, (byte) 0xc3, (byte) 0x28);
    assertThat(notText.closeCode()).isEqualTo(1007);
  }

  @Test
  void aPingIsAnsweredWithItsOwnBytes() throws Exception {
    RawClient client = connected();
    byte[] payload = "x".repeat(125).getBytes(UTF_8);
    client.send(PING, payload);

    RawClient.Frame pong = client.readFrame();
    assertThat(pong.opcode()).isEqualTo(10);
    assertThat(pong.payload()).isEqualTo(payload);
  }

  @Test
  void oneWhoPingsWithoutEndAndReadsNothingIsHeldBack() throws Exception {
    RawClient client = connected();
    byte[] payload = new byte[125];
    AtomicLong sent = new AtomicLong();
    CompletableFuture<Void> pinging =
        CompletableFuture.runAsync(
            () -> {
              try {
                while (true) {
                  client.send(PING, payload);
                  sent.incrementAndGet();
                }
              } catch (IOException e) {
                assertThat(e).hasMessageNotContaining("timed out");
              }
            });

    // The server reads on only when an answer is taken, so the client comes to a stand.
    AtomicLong seen = new AtomicLong();
    await()
        .pollInterval(300, TimeUnit.MILLISECONDS)
        .until(() -> sent.get() > 0 && seen.getAndSet(sent.get()) == sent.get());
    client.close();
    pinging.get(20, TimeUnit.SECONDS);
  }

  @Test
  void aMessageMayComeInFragmentsWithPingsBetween() throws Exception {
    RawClient client = connected();
    String frame = "SUBSCRIBE\nid:0\ndestination:/topic/rank/u\nreceipt:r\n\n\0";
    byte[] bytes = frame.getBytes(UTF_8);
    client.send(TEXT, bytes[0]);
    client.send(PING);
    for (int i = 1; i < bytes.length - 1; i++) {
      client.send(CONTINUATION, bytes[i]);
    }
    client.send(FIN_CONTINUATION, bytes[bytes.length - 1]);

    assertThat(client.read() + client.read()).contains("\"rank\":1", "receipt-id:r");
  }

  @Test
  void fragmentsWithoutEndAreCutOff() throws Exception {
    RawClient client = connected();
    client.send(TEXT, (byte) 'x');
    for (int i = 0; i < 10; i++) {
      client.send(CONTINUATION, new byte[2_000]);
    }

    assertThat(client.closeCode()).isEqualTo(1009);
  }

  @Test
  void aStompFrameThatNeverEndsIsRefused() throws Exception {
    RawClient client = connected();
    client.send("SUBSCRIBE\n");
    for (int i = 0; i < 6; i++) {
      client.send("h" + i + ":" + "x".repeat(900) + "\n");
    }

    assertThat(client.read()).startsWith("ERROR\n").contains("a frame may have 4096 bytes");
    assertThat(client.closeCode()).isEqualTo(1002);
  }

  @Test
  void connectingTwiceIsAnError() throws Exception {
    RawClient client = connected();
    client.send("CONNECT\naccept-version:1.2\n\n\0");

    assertThat(client.read()).startsWith("ERROR\n").contains("connected already");
  }

  @Test
  void subscribingWithoutEndEndsAtTheLimit() throws Exception {
    RawClient client = connected();
    int errors = 0;
    try {
      for (int i = 0; i < 10_000; i++) {
        client.send("SUBSCRIBE\nid:" + i + "\ndestination:/topic/admission/p" + i + "\n\n\0");
      }
    } catch (IOException e) {
      assertThat(e).hasMessageNotContaining("timed out");
    }
    try {
      String frame = client.read();
      assertThat(frame).startsWith("ERROR\n").contains("\"status\":429");
      errors++;
      client.read();
    } catch (IOException e) {
      assertThat(errors).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void oneWhoWantsReceiptsWithoutEndAndReadsNoneIsLetGo() throws Exception {
    RawClient client = connected();
    long overflows = server.notifier.counters().overflows();
    CompletableFuture<Void> storm =
        CompletableFuture.runAsync(
            () -> {
              try {
                while (true) {
                  client.send("UNSUBSCRIBE\nid:0\nreceipt:" + "r".repeat(1_000) + "\n\n\0");
                }
              } catch (IOException e) {
                assertThat(e).hasMessageNotContaining("timed out");
              }
            });

    await().until(() -> server.notifier.counters().overflows() > overflows);
    assertThat(server.notifier.connections().outboxBytes()).isLessThan(20_000);
    storm.get(20, TimeUnit.SECONDS);
  }

  @Test
  void stormsOfSubscribingAndUnsubscribingLeaveOnlyTheLastWord() throws Exception {
    for (int i = 0; i < 300; i++) {
      rooms.enter("full", "p" + i, session.hash());
    }
    StompClient client = StompClient.connect(server.port(), session);
    opened.add(client);
    StringBuilder storm = new StringBuilder();
    for (int i = 0; i < 3_000; i++) {
      String id = "id:" + i % 7 + "\n";
      String destination =
          switch (i % 3) {
            case 0 -> "/topic/rank/p" + i % 300 + "\nroom:full";
            case 1 -> "/topic/stats/full";
            default -> "/topic/room/full";
          };
      storm.append("SUBSCRIBE\n").append(id).append("destination:").append(destination);
      storm.append("\n\n\0UNSUBSCRIBE\n").append(id).append("\n\0");
      if (storm.length() > 3_000) {
        client.send(storm.toString());
        storm.setLength(0);
      }
    }
    client.send(storm + "UNSUBSCRIBE\nid:x\nreceipt:end\n\n\0");
    client.nextWith("receipt-id:end");

    assertThat(server.notifier.table().isEmpty()).isTrue();
    assertThat(client.isClosed()).isFalse();
  }

  @Test
  void oneSessionMayBeUsedByTwoConnectionsAndEachIsItsOwn() throws Exception {
    RawClient one = connected();
    RawClient two = connected();
    one.send("SUBSCRIBE\nid:0\ndestination:/topic/rank/u\n\n\0");
    two.send("SUBSCRIBE\nid:0\ndestination:/topic/rank/u\n\n\0");
    assertThat(one.read()).contains("\"rank\":1");
    assertThat(two.read()).contains("\"rank\":1");

    one.send("SUBSCRIBE\nid:0\ndestination:/topic/rank/other\n\n\0");

    assertThat(one.read()).startsWith("ERROR");
    two.send("UNSUBSCRIBE\nid:0\nreceipt:r\n\n\0");
    assertThat(two.read()).contains("receipt-id:r");
  }

  @Test
  void identifiersOfOtherAlphabetsAreToldThatThereIsNoSuchDestination() throws Exception {
    for (String id : List.of("ü", "人", "\uD83D\uDE00", "a b", "a/b", "%75", "u\\n", "")) {
      RawClient client = connected();
      client.send("SUBSCRIBE\nid:0\ndestination:/topic/rank/" + id + "\n\n\0");
      assertThat(client.read()).as(id).startsWith("ERROR\n").contains("\"status\":404");
    }
    RawClient named = connected();
    named.send("SUBSCRIBE\nid:\u00e9\\c\\n人\ndestination:/topic/rank/u\nreceipt:\u00e9\\n\n\n\0");
    assertThat(named.read() + named.read())
        .contains("subscription:\u00e9\\c\\n人\n", "\"rank\":1")
        .contains("RECEIPT\nreceipt-id:\u00e9\\n\n\n\0");
  }

  @Test
  void handshakesThatEndInTheMiddleOrAreTooLongLeaveNothing() throws Exception {
    for (String begun : List.of("", "GET /ws HT", "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: web")) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
        socket.getOutputStream().write(begun.getBytes(ISO_8859_1));
      }
    }
    try (RawClient huge = new RawClient(server.port(), "X: " + "x".repeat(100_000))) {
      assertThat(huge.handshake()).startsWith("HTTP/1.1 431");
    }
    for (int i = 0; i < 50; i++) {
      new RawClient(server.port()).close();
    }
  }

  private int closeCodeAfter(int first, int payloadBytes) throws IOException {
    RawClient client = connected();
    client.send(first, new byte[payloadBytes]);
    return client.closeCode();
  }

  private RawClient raw() throws IOException {
    return keep(new RawClient(server.port()));
  }

  private RawClient connected() throws IOException {
    return keep(RawClient.connect(server.port(), session));
  }

  private RawClient keep(RawClient client) {
    opened.add(client);
    return client;
  }
}
