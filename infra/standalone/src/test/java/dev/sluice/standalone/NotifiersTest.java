package dev.sluice.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.identity.PassKey;
import dev.sluice.standalone.RoomClient.Standing;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two notifiers as processes of their own, beside one that decides. The second's stream is held up
 * by more than a second, so that Redis tells it first who was admitted.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NotifiersTest {
  private static final Duration HELD_UP = Duration.ofMillis(1_500);
  private static final Pattern DELAY = Pattern.compile("\"delayMs\":(\\d+)");
  private static final Pattern RANK = Pattern.compile("\"rank\":(\\d+)");

  @TempDir static Path data;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private SluiceProcess first;
  private int api;
  private int atFirst;
  private int atSecond;

  @BeforeAll
  void startAll() throws Exception {
    String redis = "--sluice.redis.uri=redis://127.0.0.1:" + startRedis();
    SluiceProcess deciding =
        start(
            "deciding",
            redis,
            "--sluice.push.relay=true",
            "--sluice.roles=broker,topology,api",
            "--sluice.broker.port=0");
    String kafka = deciding.awaitLine("  broker").strip().split("\\s+")[1];
    String peer = deciding.awaitLine("  topology").replaceAll(".*asked at (\\S+).*", "$1");
    String[] fronts = {
      "--sluice.roles=api,notifier",
      "--sluice.kafka.bootstrap-servers=" + kafka,
      "--sluice.topology.peers=" + peer,
      "--sluice.push.close-within=2s",
    };
    first = start("first", fronts);
    SluiceProcess second =
        start(
            "second",
            fronts[0],
            fronts[1],
            fronts[2],
            redis,
            "--sluice.push.relay=true",
            "--sluice.kafka.properties.fetch.min.bytes=50000000",
            "--sluice.kafka.properties.fetch.max.wait.ms=" + HELD_UP.toMillis());
    api = deciding.awaitReady();
    atFirst = first.awaitReady();
    atSecond = second.awaitReady();
  }

  private SluiceProcess start(String name, String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.add("--server.port=0");
    Map<String, String> environment =
        Map.of("SLUICE_SECRET", "a secret of tests", "SLUICE_PASS_KEY_FILE", passKey().toString());
    SluiceProcess process =
        SluiceProcess.start(environment, data.resolve(name), all.toArray(String[]::new));
    opened.push(process);
    return process;
  }

  private static Path passKey() {
    try {
      Path file = data.resolve("pass-key.pem");
      if (!Files.exists(file)) {
        Files.writeString(file, PassKey.generate().toPem());
      }
      return file;
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private int startRedis() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    Process redis =
        new ProcessBuilder("redis-server", "--port", "" + port, "--bind", "127.0.0.1", "--save", "")
            .redirectErrorStream(true)
            .redirectOutput(data.resolve("redis-log").toFile())
            .start();
    opened.push(redis::destroyForcibly);
    return port;
  }

  @AfterAll
  void closeAll() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
  }

  @Test
  void a_notifier_whose_stream_is_held_up_tells_admissions_at_once_and_nothing_twice()
      throws Exception {
    RoomClient room = new RoomClient(api, "hall");
    room.pause();
    Map<Standing, Tab> tabs = new HashMap<>();
    for (int i = 0; i < 20; i++) {
      Standing person = room.enter("p" + i).join();
      tabs.put(person, tab(atSecond, person, "hall"));
    }
    await().until(() -> tabs.values().stream().allMatch(tab -> !tab.with("RECEIPT").isEmpty()));
    await().until(() -> figure(atSecond, "sluice_redis_relay_subscribed") == 1);
    Standing one = tabs.keySet().iterator().next();
    Tab late = keep(Tab.open(atSecond, one.session(), "hall", "late"));

    room.set("admission.state", "\"OPEN\"");

    await().until(() -> figure(atSecond, "sluice_redis_relay_received_total") >= tabs.size());
    await().until(() -> tabs.values().stream().allMatch(tab -> isAdmitted(tab)));
    // Told by the stream alone, after all that it still has to tell of the room.
    room.pause();
    room.enter("late", one.session()).join();
    await().until(() -> !late.with("\"requestId\":\"late\"").isEmpty());

    for (Tab tab : tabs.values()) {
      assertThat(tab.with("\"type\":\"admission\"")).hasSize(1);
    }
    assertThat(figure(atSecond, "sluice_redis_relay_refused_total")).isZero();
  }

  @Test
  void one_that_is_told_to_stop_sends_its_people_spread_out_to_the_other_with_all_they_had()
      throws Exception {
    RoomClient room = new RoomClient(api, "premiere");
    room.pause();
    Map<Standing, Tab> before = new HashMap<>();
    for (int i = 0; i < 40; i++) {
      Standing person = room.enter("q" + i).join();
      before.put(person, tab(atFirst, person, "premiere"));
    }
    await().until(() -> before.values().stream().allMatch(tab -> !tab.with("RECEIPT").isEmpty()));
    Socket neverAcknowledges = keep(handshakeAndNothingMore(atFirst));
    long begun = System.nanoTime();

    first.terminate();

    Map<Standing, Tab> after = new HashMap<>();
    Set<Integer> delays = new HashSet<>();
    for (Map.Entry<Standing, Tab> each : before.entrySet()) {
      assertThat(each.getValue().closeCode()).isEqualTo(1012);
      Matcher delay = DELAY.matcher(each.getValue().with("RECONNECT_SOON").get(0));
      assertThat(delay.find()).isTrue();
      delays.add(Integer.parseInt(delay.group(1)));
      after.put(each.getKey(), tab(atSecond, each.getKey(), "premiere"));
    }
    assertThat(delays).hasSize(before.size()).allMatch(delay -> delay <= 10 * 41);
    assertThat(first.awaitExit()).isEqualTo(143);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(10));
    assertThat(neverAcknowledges.isClosed()).isFalse();

    await().until(() -> after.values().stream().allMatch(tab -> !tab.with("\"rank\":").isEmpty()));
    for (Map.Entry<Standing, Tab> each : after.entrySet()) {
      assertThat(lastRank(each.getValue())).isEqualTo(each.getKey().rank());
      assertThat(lastRank(before.get(each.getKey()))).isEqualTo(each.getKey().rank());
    }
    room.set("admission.state", "\"OPEN\"");
    await().until(() -> after.values().stream().allMatch(tab -> isAdmitted(tab)));
    for (Tab tab : after.values()) {
      assertThat(tab.with("\"type\":\"admission\"")).hasSize(1).first().asString().contains("pass");
    }
  }

  private Tab tab(int port, Standing person, String room) throws Exception {
    return keep(Tab.open(port, person.session(), room, person.requestId()));
  }

  private static boolean isAdmitted(Tab tab) {
    return !tab.with("\"type\":\"admission\"").isEmpty();
  }

  private static int lastRank(Tab tab) {
    List<String> ranks = tab.with("\"rank\":");
    Matcher rank = RANK.matcher(ranks.get(ranks.size() - 1));
    assertThat(rank.find()).isTrue();
    return Integer.parseInt(rank.group(1));
  }

  private static Socket handshakeAndNothingMore(int port) throws Exception {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket
        .getOutputStream()
        .write(
            ("GET /ws HTTP/1.1\r\nHost: 127.0.0.1:"
                    + port
                    + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
                    + "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                .getBytes(UTF_8));
    assertThat(new String(socket.getInputStream().readNBytes(12), UTF_8)).isEqualTo("HTTP/1.1 101");
    return socket;
  }

  /** A meter of a process. */
  private static double figure(int port, String name) throws Exception {
    return new RoomClient(port, "any")
        .text("/actuator/prometheus")
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElse(-1);
  }

  private <T extends AutoCloseable> T keep(T closeable) {
    opened.push(closeable);
    return closeable;
  }
}
