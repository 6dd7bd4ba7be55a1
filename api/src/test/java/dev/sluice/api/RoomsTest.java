package dev.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.api.InMemoryRooms.Logged;
import dev.sluice.api.InMemoryTopology.LogMode;
import dev.sluice.api.rooms.SharedFeed.Reading;
import dev.sluice.api.rooms.SharedFeed.Shared;
import dev.sluice.contract.EventKind;
import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.Membership;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomSum;
import dev.sluice.query.FeedPage;
import dev.sluice.query.HeatSystem;
import dev.sluice.query.HeatSystem.PartitionHeat;
import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.RoomHeat;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.settings.BadSettingException;
import dev.sluice.settings.SettingAddress;
import dev.sluice.settings.SettingKey;
import dev.sluice.settings.SettingScope;
import dev.sluice.settings.SettingsView;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class RoomsTest {
  private static ApiUnderTest api;
  private static int rooms;
  private String room;

  @BeforeAll
  static void start() {
    api = ApiUnderTest.start("sluice.api.max-waiting-fetches=40");
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @BeforeEach
  void another_room() {
    room = "lounge-" + ++rooms;
    api.counters.flushAll(0);
  }

  @AfterEach
  void all_is_well() {
    api.rooms.log(LogMode.STORES);
    api.rooms.fail(null);
    api.rooms.failShared(null);
    api.rooms.holdReads(false);
    api.rooms.all().forEach(hot -> api.rooms.judge(hot.roomId(), null));
    api.topology.settings(SettingsView.EMPTY);
  }

  @Test
  void an_event_is_logged_as_it_came_and_told_its_cursor() {
    String payload = "{\"text\" : \"안녕 \\ud83d\\ude00\", \"list\":[1, 2.50, null]}";
    Http.Answer answer =
        event(
            "{\"kind\":\"MESSAGE\",\"userId\":\"u-1\",\"country\":\"KR\",\"app\":\"ios\","
                + "\"payload\":"
                + payload
                + ",\"more\":{\"a\":[1]}}");

    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.text("cursor")).isEqualTo(Long.toString(api.rooms.end()));
    assertThat(last().event())
        .isEqualTo(new RoomEvent(EventKind.MESSAGE, room, "u-1", "KR", "ios", payload));
  }

  @Test
  void an_event_needs_no_more_than_its_kind() {
    assertThat(event("{\"kind\":\"FETCH\"}").status()).isEqualTo(202);
    assertThat(last().event())
        .isEqualTo(new RoomEvent(EventKind.FETCH, room, null, null, null, null));
    event("{\"kind\":\"MESSAGE\",\"userId\":null,\"country\":null,\"app\":null,\"payload\":null}");
    assertThat(last().event())
        .isEqualTo(new RoomEvent(EventKind.MESSAGE, room, null, null, null, null));
  }

  @Test
  void any_json_value_can_be_a_payload() {
    for (String value :
        List.of("0", "-1.5e10", "\"text\"", "true", "[]", "{}", "[[[[]]]]", "\"\\u0000\"")) {
      event("{\"kind\":\"MESSAGE\",\"payload\": " + value + " , \"userId\":\"u\"}");
      assertThat(last().event().payload()).isEqualTo(value);
      event("{\"userId\":\"u\",\"kind\":\"MESSAGE\",\"payload\":" + value + "}");
      assertThat(last().event().payload()).isEqualTo(value);
    }
    Http.Answer fetched = fetch("limit=500");
    assertThat(fetched.body().at("/events/0/payload").intValue()).isZero();
    assertThat(fetched.body().at("/events/14/payload").asString()).isEqualTo("\0");
  }

  @Test
  void an_event_is_counted_once_in_the_place_that_its_mark_names() {
    event("{\"kind\":\"MESSAGE\",\"country\":\"KR\",\"app\":\"ios\"}");
    event("{\"kind\":\"MESSAGE\",\"country\":\"KR\",\"app\":\"ios\"}");

    List<RoomSum> sums = api.counters.flush(0);
    assertThat(sums).hasSize(1);
    assertThat(sums.get(0).producer()).isEqualTo(last().mark().producer());
    assertThat(sums.get(0).slot()).isEqualTo(last().mark().slot());
    assertThat(sums.get(0).cells())
        .containsExactly(new RoomSum.Cell(EventKind.MESSAGE, "KR", "ios", List.of(2L)));
  }

  @Test
  void what_is_not_or_perhaps_not_logged_is_not_counted_here() {
    api.rooms.log(LogMode.REFUSES);
    Http.Answer refused = event("{\"kind\":\"MESSAGE\"}");
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.text("type")).endsWith(":log-away");
    assertThat(refused.text("detail")).contains("nothing was stored");
    api.rooms.log(LogMode.LOSES_THE_ACKNOWLEDGEMENT);
    Http.Answer unsure = event("{\"kind\":\"MESSAGE\"}");
    assertThat(unsure.status()).isEqualTo(503);
    assertThat(unsure.text("type")).endsWith(":may-be-stored");
    assertThat(unsure.text("detail")).contains("may be stored");
    assertThat(last().mark()).isNotNull();

    assertThat(api.counters.flush(0)).isEmpty();
  }

  @Test
  void a_fetch_gives_what_was_said_since_a_cursor() {
    List<String> cursors = say(5);

    Http.Answer all = fetch("");
    assertThat(all.status()).isEqualTo(200);
    assertThat(cursorsOf(all)).isEqualTo(cursors);
    assertThat(all.text("cursor")).isEqualTo(cursors.get(4));
    assertThat(all.body().path("more").booleanValue()).isFalse();
    JsonNode first = all.body().at("/events/0");
    assertThat(first.path("kind").asString()).isEqualTo("MESSAGE");
    assertThat(first.path("userId").asString()).isEqualTo("u-0");
    assertThat(first.path("country").isNull()).isTrue();
    assertThat(first.path("payload").path("n").intValue()).isZero();
    assertThat(first.path("at").asString()).isEqualTo("2026-11-30T00:53:20.000Z");
    assertThat(cursorsOf(fetch("after=" + cursors.get(2)))).isEqualTo(cursors.subList(3, 5));
    Http.Answer part = fetch("limit=2&after=" + cursors.get(0));
    assertThat(cursorsOf(part)).isEqualTo(cursors.subList(1, 3));
    assertThat(part.text("cursor")).isEqualTo(cursors.get(2));
    assertThat(part.body().path("more").booleanValue()).isTrue();
    Http.Answer none = fetch("after=" + cursors.get(4));
    assertThat(cursorsOf(none)).isEmpty();
    assertThat(none.text("cursor")).isEqualTo(cursors.get(4));
  }

  @Test
  void a_room_in_which_nothing_was_said_has_a_cursor_to_ask_on_with() {
    Http.Answer nothing = fetch("");
    assertThat(nothing.text("cursor")).isEqualTo("-1");
    String cursor = say(1).get(0);
    assertThat(cursorsOf(fetch("after=" + nothing.text("cursor")))).containsExactly(cursor);
  }

  @Test
  void a_hundred_are_given_where_no_limit_is_and_500_at_most() {
    say(510);
    assertThat(cursorsOf(fetch(""))).hasSize(100);
    Http.Answer many = fetch("limit=500");
    assertThat(cursorsOf(many)).hasSize(500);
    assertThat(cursorsOf(fetch("limit=500&after=" + many.text("cursor")))).hasSize(10);
  }

  @Test
  void each_fetch_counts_as_one() {
    fetch("country=KR&app=web");
    fetch("country=KR&app=web");
    api.rooms.fail(Kind.BEHIND);
    assertThat(fetch("country=KR&app=web").status()).isEqualTo(503);

    assertThat(api.counters.flush(0).get(0).cells())
        .containsExactly(new RoomSum.Cell(EventKind.FETCH, "KR", "web", List.of(3L)));
  }

  @Test
  void an_answer_reflects_what_was_pushed_or_there_is_none() {
    String cursor = say(1).get(0);
    assertThat(cursorsOf(fetch("upTo=" + cursor))).containsExactly(cursor);
    Http.Answer invented = fetch("upTo=999999999999999999");
    assertThat(invented.status()).isEqualTo(503);
    assertThat(invented.text("type")).endsWith(":state-away");
    assertThat(fetch("after=999999999999999999").status()).isEqualTo(503);
    assertThat(cursorsOf(fetch("after=-1"))).containsExactly(cursor);
  }

  @Test
  void fetches_that_come_while_one_reads_share_the_next_reading() {
    List<String> cursors = say(3);
    int before = api.rooms.reads();
    api.rooms.holdReads(true);
    List<CompletableFuture<Http.Answer>> fetches = new ArrayList<>();
    fetches.add(fetchAsync("after=-1"));
    await().until(() -> api.rooms.reads() == before + 1);
    IntStream.range(0, 30).forEach(i -> fetches.add(fetchAsync(i % 2 == 0 ? "" : "limit=1")));
    await().until(() -> calls() == 31);
    api.rooms.holdReads(false);

    assertThat(fetches.stream().map(CompletableFuture::join))
        .allMatch(answer -> answer.status() == 200)
        .allMatch(answer -> cursorsOf(answer).get(0).equals(cursors.get(0)));
    assertThat(api.rooms.reads()).isEqualTo(before + 2);
  }

  @Test
  void those_who_wait_in_one_room_are_bounded() {
    api.rooms.holdReads(true);
    List<CompletableFuture<Http.Answer>> waiting =
        IntStream.range(0, 40).mapToObj(i -> fetchAsync("")).toList();
    await().until(() -> calls() == 40);

    Http.Answer refused = fetch("");
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.text("type")).endsWith(":busy");
    api.rooms.holdReads(false);
    assertThat(waiting).allMatch(answer -> answer.join().status() == 200);
  }

  @Test
  void a_hot_room_is_not_read_for_each_fetch() {
    say(2);
    api.rooms.makeHot(room);
    int before = api.rooms.reads();
    long begun = System.nanoTime();
    List<CompletableFuture<Http.Answer>> fetches = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      IntStream.range(0, 6).forEach(j -> fetches.add(fetchAsync("")));
      fetches.get(fetches.size() - 1).join();
    }

    assertThat(fetches).allMatch(answer -> cursorsOf(answer.join()).size() == 2);
    long tookMillis = (System.nanoTime() - begun) / 1_000_000;
    assertThat(api.rooms.reads() - before).isLessThanOrEqualTo((int) (tookMillis / 250) + 1);
  }

  @Test
  void a_hot_room_is_read_for_all_instances_and_never_from_what_is_too_old() {
    String cursor = say(1).get(0);
    api.rooms.makeHot(room);
    fetch("");
    assertThat(api.rooms.shared(room).reading().page().events()).hasSize(1);

    // As another instance would have it, who read an event that this one's store doesn't know.
    Reading theirs = new Reading(-1, Long.MAX_VALUE, new FeedPage(List.of(), 5, false));
    api.rooms.share(room, new Shared(theirs, 0));
    assertThat(cursorsOf(fetch(""))).as("young enough, as it waited").isEmpty();
    api.rooms.share(room, new Shared(theirs, 4_000));
    assertThat(cursorsOf(fetch(""))).as("older than the fetch").containsExactly(cursor);
    api.rooms.failShared(new IllegalStateException("away"));
    assertThat(cursorsOf(fetch(""))).as("nobody's loss").containsExactly(cursor);
  }

  @Test
  void a_long_answer_is_cut_and_can_be_asked_on() {
    String payload = "\"" + "x".repeat(8_000) + "\"";
    for (int i = 0; i < 50; i++) {
      event("{\"kind\":\"MESSAGE\",\"payload\":" + payload + "}");
    }
    Http.Answer first = fetch("limit=500");
    int length = first.raw().body().length();
    assertThat(length).isBetween(200_000, 262_200);
    assertThat(first.body().path("more").booleanValue()).isTrue();
    Http.Answer second = fetch("limit=500&after=" + first.text("cursor"));
    assertThat(cursorsOf(first).size() + cursorsOf(second).size()).isEqualTo(50);
    assertThat(second.body().path("more").booleanValue()).isFalse();
  }

  @Test
  void a_join_and_a_leave_are_logged_and_the_join_is_counted() {
    Http.Answer joined = join("{\"userId\":\"u-1\",\"country\":\"KR\",\"app\":\"ios\"}");
    Http.Answer left = post("leave", "{\"userId\":\"u-1\",\"country\":17}");

    assertThat(joined.status()).isEqualTo(202);
    assertThat(left.status()).isEqualTo(202);
    assertThat(api.rooms.memberships())
        .endsWith(
            new Membership(room, "u-1", true, "KR", "ios"),
            new Membership(room, "u-1", false, null, null));
    assertThat(api.counters.flush(0).get(0).cells())
        .containsExactly(new RoomSum.Cell(EventKind.JOIN, "KR", "ios", List.of(1L)));
  }

  @Test
  void over_the_limit_of_joins_one_is_told_when_to_come_again() {
    limitOfJoins("3");
    for (int i = 0; i < 3; i++) {
      assertThat(join("{\"userId\":\"u-" + i + "\"}").status()).isEqualTo(202);
    }
    int logged = api.rooms.memberships().size();
    Http.Answer refused = join("{\"userId\":\"late\"}");

    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.text("type")).endsWith(":join-limit");
    assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(4, 6);
    assertThat(refused.text("detail")).containsPattern("in \\d{4} ms");
    assertThat(api.rooms.memberships()).hasSize(logged);
    assertThat(api.counters.flush(0).get(0).cells().get(0).total()).isEqualTo(3);
    assertThat(post("leave", "{\"userId\":\"u-1\"}").status()).isEqualTo(202);
    limitOfJoins("4");
    assertThat(join("{\"userId\":\"late\"}").status()).isEqualTo(202);
  }

  @Test
  void a_join_that_was_not_logged_leaves_its_place_and_one_that_may_be_keeps_it() {
    limitOfJoins("1");
    api.rooms.log(LogMode.REFUSES);
    assertThat(join("{\"userId\":\"u\"}").text("type")).endsWith(":log-away");
    api.rooms.log(LogMode.LOSES_THE_ACKNOWLEDGEMENT);
    assertThat(join("{\"userId\":\"u\"}").text("type")).endsWith(":may-be-stored");
    api.rooms.log(LogMode.STORES);
    assertThat(join("{\"userId\":\"u\"}").status()).isEqualTo(429);
  }

  @Test
  void a_room_tells_how_busy_it_is() {
    join("{\"userId\":\"u-1\"}");
    Http.Answer cold = api.http.get("/api/rooms/" + room);

    assertThat(cold.body().path("roomId").asString()).isEqualTo(room);
    assertThat(cold.body().path("hot").booleanValue()).isFalse();
    assertThat(cold.body().path("because").isNull()).isTrue();
    assertThat(cold.body().path("rate").intValue()).isEqualTo(100);
    assertThat(cold.body().path("demand").intValue()).isEqualTo(120);
    assertThat(cold.body().path("window").intValue()).isEqualTo(5);
    assertThat(cold.body().path("members").intValue()).isEqualTo(1);
    assertThat(cold.body().path("audience").intValue()).isEqualTo(7);
    assertThat(cold.body().at("/byCountry/KR/threshold").intValue()).isEqualTo(500);
    assertThat(cold.body().at("/byCountry/US/rate").intValue()).isEqualTo(30);
    assertThat(cold.body().at("/byCountry/US").has("threshold")).isFalse();
    api.rooms.judge(room, new HotVerdict(room, "country=KR", 70, 50, 5, 1, 1));
    assertThat(api.http.get("/api/rooms/" + room).text("because")).isEqualTo("country=KR");
  }

  @Test
  void hot_rooms_are_listed_and_a_room_called_hot_keeps_its_other_paths() {
    api.rooms.judge(
        room, new HotVerdict(room, "app=ios", 900, 500, 3, 1_796_000_000_000L, 1_796_000_001_000L));
    Http.Answer hot = api.http.get("/api/rooms/hot");

    assertThat(hot.status()).isEqualTo(200);
    assertThat(hot.body()).hasSize(1);
    assertThat(hot.body().at("/0/roomId").asString()).isEqualTo(room);
    assertThat(hot.body().at("/0/since").asString()).isEqualTo("2026-11-30T00:53:20.000Z");
    assertThat(hot.body().at("/0/rate").intValue()).isEqualTo(900);
    assertThat(hot.body().at("/0/threshold").intValue()).isEqualTo(500);
    assertThat(hot.body().at("/0/window").intValue()).isEqualTo(3);
    assertThat(hot.body().at("/0/because").asString()).isEqualTo("app=ios");
    Http.Answer posted = api.http.post("/api/rooms/hot/events", "{\"kind\":\"MESSAGE\"}");
    assertThat(posted.status()).isEqualTo(202);
    assertThat(api.http.get("/api/rooms/hot/events?after=-1").body().at("/events/0/cursor"))
        .isEqualTo(posted.body().path("cursor"));
    assertThat(api.http.post("/api/rooms/hot/join", "{\"userId\":\"u\"}").status()).isEqualTo(202);
  }

  @Test
  void without_a_sure_answer_one_is_told_to_come_again() {
    for (Kind kind : Kind.values()) {
      api.rooms.fail(kind);
      for (String path :
          List.of(
              "/api/rooms/hot",
              "/api/rooms/" + room,
              "/api/rooms/" + room + "/events",
              "/api/admin/monitoring/rooms")) {
        Http.Answer answer = api.http.get(path);
        assertThat(answer.status()).as(path).isEqualTo(503);
        assertThat(answer.text("type")).endsWith(":state-away");
      }
    }
  }

  @Test
  void calls_on_rooms_never_take_the_places_of_admission() {
    try (ApiUnderTest small = ApiUnderTest.start("sluice.api.max-room-calls=2")) {
      small.rooms.log(LogMode.HANGS);
      List<CompletableFuture<Http.Answer>> held =
          IntStream.range(0, 2)
              .mapToObj(
                  i -> small.http.sendAsync("POST", "/api/rooms/a/events", "{\"kind\":\"FETCH\"}"))
              .toList();
      await().until(() -> figure(small, "sluice_room_calls_now") == 2);

      assertThat(small.http.get("/api/rooms/hot").text("type")).endsWith(":busy");
      assertThat(small.call("enter", "a", "u-1", small.session()).status()).isEqualTo(200);
      small.rooms.log(LogMode.STORES);
      assertThat(held).allMatch(call -> call.join().status() == 503);
      assertThat(small.http.get("/api/rooms/hot").status()).isEqualTo(200);
    }
  }

  @Test
  void operators_see_rooms_partitions_and_links_in_one_answer() {
    TreeMap<String, RoomHeat.Slice> none = new TreeMap<>();
    RoomHeat hot =
        new RoomHeat(
            room,
            new HotVerdict(room, "room", 9_000, 5_000, 5, 1_796_000_000_000L, 1),
            9_000,
            9_500,
            5_000,
            5,
            42,
            none,
            none);
    RoomHeat cold = new RoomHeat("cold", null, 3, 3, 5_000, 5, 0, none, none);
    api.rooms.system(
        new HeatSystem(
            List.of(
                partition(0, PartitionStatus.READY, "local", List.of(1L, 2L, 900L)),
                partition(1, PartitionStatus.UNOWNED, null, List.of(3L))),
            List.of(hot, cold)));
    Http.Answer answer = api.http.get("/api/admin/monitoring/rooms");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body().at("/rooms/0/since").asString()).isEqualTo("2026-11-30T00:53:20Z");
    assertThat(answer.body().at("/rooms/0/audience").intValue()).isEqualTo(42);
    assertThat(answer.body().at("/rooms/1/since").isNull()).isTrue();
    assertThat(answer.body().at("/partitions/1/status").asString()).isEqualTo("UNOWNED");
    assertThat(answer.body().at("/decision/p50").intValue()).isEqualTo(2);
    assertThat(answer.body().at("/decision/p99").intValue()).isEqualTo(900);
    assertThat(answer.body().at("/decision/count").intValue()).isEqualTo(4);
    assertThat(answer.body().path("redis").isNull()).isTrue();
    assertThat(answer.body().at("/edge/rooms").isIntegralNumber()).isTrue();
    api.rooms.system(new HeatSystem(List.of(), List.of()));
    assertThat(api.http.get("/api/admin/monitoring/rooms").body().at("/decision/p50").isNull())
        .isTrue();
  }

  @Test
  void operators_see_how_redis_is() {
    try (ApiUnderTest linked = ApiUnderTest.start("test.redis=yes")) {
      JsonNode redis = linked.http.get("/api/admin/monitoring/rooms").body().path("redis");
      assertThat(redis.path("state").asString()).isEqualTo("UP");
      assertThat(redis.path("lagMillis").intValue()).isEqualTo(12);
    }
  }

  @Test
  void a_thousand_rooms_make_no_more_figures_than_one() {
    fetch("");
    long before = api.http.get("/actuator/prometheus").raw().body().lines().count();
    for (int i = 0; i < 300; i++) {
      api.http.get("/api/rooms/invented-" + i + "/events");
    }
    String figures = api.http.get("/actuator/prometheus").raw().body();

    assertThat(figures).doesNotContain("invented");
    assertThat(figures)
        .contains("sluice_room_calls_seconds_count{call=\"fetch\",result=\"done\"}")
        .contains("sluice_room_reads_total{from=\"store\"}")
        .contains("sluice_edge_rooms", "sluice_edge_shed_total");
    assertThat(figures.lines().count()).isBetween(before - 20, before + 20);
  }

  private static PartitionHeat partition(
      int partition, PartitionStatus status, String owner, List<Long> decisions) {
    return new PartitionHeat(partition, status, owner, 1, -1, 2, 3, 4, 5, decisions);
  }

  private void limitOfJoins(String json) {
    try {
      SettingKey<Integer> key = SettingKey.JOIN_THRESHOLD;
      api.topology.settings(
          SettingsView.EMPTY.with(
              new SettingsView.InForce<>(
                  SettingAddress.of(key, SettingScope.room(room)),
                  json,
                  key.check(json).value(),
                  1,
                  0,
                  null)));
    } catch (BadSettingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private List<String> say(int count) {
    List<String> cursors = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      cursors.add(
          event("{\"kind\":\"MESSAGE\",\"userId\":\"u-" + i + "\",\"payload\":{\"n\":" + i + "}}")
              .text("cursor"));
    }
    return cursors;
  }

  private static List<String> cursorsOf(Http.Answer answer) {
    assertThat(answer.status()).isEqualTo(200);
    List<String> cursors = new ArrayList<>();
    answer.body().path("events").forEach(event -> cursors.add(event.path("cursor").asString()));
    return cursors;
  }

  private static Logged last() {
    List<Logged> logged = api.rooms.logged();
    return logged.get(logged.size() - 1);
  }

  private Http.Answer event(String body) {
    return post("events", body);
  }

  private Http.Answer join(String body) {
    return post("join", body);
  }

  private Http.Answer post(String call, String body) {
    return api.http.post("/api/rooms/" + room + "/" + call, body);
  }

  private Http.Answer fetch(String query) {
    return fetchAsync(query).join();
  }

  private CompletableFuture<Http.Answer> fetchAsync(String query) {
    return api.http.sendAsync("GET", "/api/rooms/" + room + "/events?" + query, null);
  }

  private static int calls() {
    return figure(api, "sluice_room_calls_now");
  }

  private static int figure(ApiUnderTest of, String name) {
    return of.http
        .get("/actuator/prometheus")
        .raw()
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToInt(line -> (int) Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }
}
