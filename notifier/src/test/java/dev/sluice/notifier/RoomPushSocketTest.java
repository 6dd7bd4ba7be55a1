package dev.sluice.notifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.contract.Audience;
import dev.sluice.identity.AdminRule;
import dev.sluice.settings.SettingKey;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pushes of rooms over real sockets, with what is said in memory behind it. */
final class RoomPushSocketTest {
  private static final Pattern CURSOR = Pattern.compile("\"cursor\":\"(-?\\d+)\"");

  private final FakeFeeds feeds = new FakeFeeds();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void closeAll() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  @Test
  void everyFollowerHearsOfEachEventOfANormalRoom() throws Exception {
    NotifierServer server = serve(null);
    StompClient one = follow(server, "lobby");
    StompClient two = follow(server, "lobby");
    StompClient elsewhere = follow(server, "hall");

    for (int i = 0; i < 20; i++) {
      String cursor = "\"cursor\":\"" + feeds.say("lobby") + "\"";
      one.nextWith(cursor);
      two.nextWith(cursor);
    }

    assertThat(server.notifier.rooms().pushed()).isEqualTo(20);
    assertThat(elsewhere.all()).noneMatch(frame -> frame.contains("lobby"));
  }

  @Test
  void aHotRoomPushesOnceAnIntervalAndTheLastCursorInTheEnd() throws Exception {
    feeds.set(SettingKey.PUSH_HOT_INTERVAL, "\"500ms\"");
    NotifierServer server = serve(null);
    StompClient client = follow(server, "lobby");
    feeds.turnHot("lobby", 6_000);
    client.nextWith("\"hot\":true");

    for (int i = 0; i < 1_000; i++) {
      feeds.say("lobby");
    }

    assertThat(client.nextWith("\"cursor\"")).contains("\"cursor\":\"999\"");
    assertThat(server.notifier.rooms().pushed()).isEqualTo(2);
    assertThat(server.notifier.rooms().heldBack()).isEqualTo(1_000);
    feeds.cool("lobby");
    assertThat(client.nextWith("\"hot\":false")).contains("\"cursor\":\"999\"");
  }

  @Test
  void aChangeOfSettingsCountsForWhatIsHeldBackAlready() throws Exception {
    feeds.set(SettingKey.PUSH_HOT_INTERVAL, "\"1m\"");
    NotifierServer server = serve(null);
    StompClient client = follow(server, "lobby");
    feeds.turnHot("lobby", 6_000);
    client.nextWith("\"hot\":true");
    feeds.say("lobby");

    feeds.set(SettingKey.PUSH_HOT_INTERVAL, "\"50ms\"");
    client.nextWith("\"cursor\":\"0\"");
    feeds.set(SettingKey.PUSH_HOT_INTERVAL, "\"1m\"");
    feeds.set(SettingKey.PUSH_HOT_MODE, "\"PROBABILITY\"");
    feeds.set(SettingKey.PUSH_HOT_PROBABILITY, "1");
    feeds.say("lobby");

    client.nextWith("\"cursor\":\"1\"");
  }

  @Test
  void aFollowerThatStopsReadingResumesWithTheNewestAndNobodyElseNotices() throws Exception {
    NotifierServer server = serve(null);
    RawClient stuck = keep(RawClient.connect(server.port(), server.session()));
    stuck.send("SUBSCRIBE\nid:0\ndestination:/topic/room/lobby\n\n\0");
    assertThat(cursor(stuck.read())).isEqualTo(-1);
    StompClient reading = follow(server, "lobby");

    long last = 0;
    while (server.notifier.counters().replaced() < 10) {
      last = feeds.say("lobby");
      reading.nextWith("\"cursor\":\"" + last + "\"");
      assertThat(last).isLessThan(10_000);
    }

    assertThat(server.notifier.connections().outboxBytes()).isLessThan(16 * 1024);
    long told = -1;
    int frames = 0;
    while (told < last) {
      long next = cursor(stuck.read());
      assertThat(next).isGreaterThan(told);
      told = next;
      frames++;
    }
    assertThat(frames).isLessThan((int) last);
  }

  @Test
  void theAudienceIsReportedAndNobodyIsLeftAfterwards() throws Exception {
    NotifierServer server = serve(null);
    StompClient one = follow(server, "lobby");
    StompClient two = follow(server, "lobby");
    await().until(() -> lastAudience("lobby") == 2);

    one.close();
    await().until(() -> lastAudience("lobby") == 1);
    two.close();
    await().until(() -> lastAudience("lobby") == 0);

    List<Audience> all = feeds.audiences();
    assertThat(all.stream().map(Audience::producer).distinct()).hasSize(1);
    assertThat(all).filteredOn(audience -> audience.subscribers() == 0).hasSize(1);
    await().until(() -> server.notifier.rooms().rooms() == 0);
    assertThat(server.notifier.table().isEmpty()).isTrue();
  }

  @Test
  void aServerThatStopsTellsThatNobodyIsLeft() throws Exception {
    NotifierServer server = serve(null);
    follow(server, "lobby");
    await().until(() -> lastAudience("lobby") == 1);

    server.notifier.close();

    assertThat(lastAudience("lobby")).isZero();
  }

  @Test
  void onlyOperatorsHearWhichRoomsAreHot() throws Exception {
    feeds.turnHot("lobby", 6_000);
    NotifierServer open = serve(null);
    StompClient local = keep(StompClient.connect(open.port(), open.session()));
    local.subscribe("0", "/topic/hot");
    assertThat(local.next()).contains("\"type\":\"hot\"", "\"roomId\":\"lobby\"");
    StompClient proxied = keep(StompClient.open(open.port(), "X-Forwarded-For", "10.0.0.1"));
    assertThat(answer(proxied, "")).contains("\"status\":403");
    assertThat(proxied.closeCode()).isEqualTo(1008);

    NotifierServer closed = serve("a token");
    assertThat(answer(keep(StompClient.open(closed.port())), "")).contains("\"status\":401");
    assertThat(answer(keep(StompClient.open(closed.port())), "Authorization:Bearer a token\n"))
        .contains("\"roomId\":\"lobby\"");
    StompClient byHandshake =
        keep(StompClient.open(closed.port(), "Authorization", "Bearer a token"));
    assertThat(answer(byHandshake, "")).contains("\"roomId\":\"lobby\"");
  }

  private static String answer(StompClient client, String header) throws Exception {
    client.send("CONNECT\naccept-version:1.2\nhost:x\n" + header + "\n\0");
    client.nextWith("CONNECTED");
    client.subscribe("0", "/topic/hot");
    return client.next();
  }

  private NotifierServer serve(String adminToken) throws Exception {
    return keep(
        new NotifierServer(
            new FakeRooms(), feeds, new AdminRule(adminToken), NotifierServer.settings()));
  }

  private StompClient follow(NotifierServer server, String roomId) throws Exception {
    StompClient client = keep(StompClient.connect(server.port(), server.session()));
    client.subscribe("0", "/topic/room/" + roomId);
    client.nextWith("\"type\":\"room\"");
    return client;
  }

  private <T extends AutoCloseable> T keep(T closeable) {
    opened.add(closeable);
    return closeable;
  }

  private int lastAudience(String roomId) {
    List<Audience> all =
        feeds.audiences().stream().filter(audience -> audience.roomId().equals(roomId)).toList();
    return all.isEmpty() ? -1 : all.get(all.size() - 1).subscribers();
  }

  private static long cursor(String frame) {
    Matcher cursor = CURSOR.matcher(frame);
    assertThat(cursor.find()).as(frame).isTrue();
    return Long.parseLong(cursor.group(1));
  }
}
