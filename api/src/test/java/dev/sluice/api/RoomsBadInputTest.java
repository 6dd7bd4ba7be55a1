package dev.sluice.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.contract.RoomEvent;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoomsBadInputTest {
  private static final String EVENTS = "/api/rooms/a/events";
  private static ApiUnderTest api;

  @BeforeAll
  static void start() {
    api = ApiUnderTest.start();
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @AfterEach
  void nothing_was_logged_of_what_was_refused() {
    assertThat(api.rooms.logged()).noneMatch(logged -> logged.event().roomId().equals("a"));
    assertThat(api.rooms.memberships()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "x",
        "{",
        "[]",
        "null",
        "\"MESSAGE\"",
        "{\"kind\":\"MESSAGE\"",
        "{\"kind\":\"MESSAGE\"}}",
        "{\"kind\":\"MESSAGE\"} {}",
        "{'kind':'MESSAGE'}",
        "{\"kind\":\"MESSAGE\",}",
        "{\"kind\":\"MESSAGE\",\"payload\":01}",
        "{\"kind\":\"MESSAGE\",\"payload\":}",
        "{\"kind\":\"MESSAGE\",\"payload\":NaN}",
        "{\"kind\":\"MESSAGE\",\"payload\":tru}",
        "{\"kind\":\"MESSAGE\",\"payload\":\"open}",
        "{\"kind\":\"MESSAGE\",\"payload\":[1,2}",
        "{\"kind\":\"MESSAGE\",\"payload\":{\"a\":1,}}",
        "{\"kind\":\"MESSAGE\",\"payload\":\"\u0007\"}",
        "\ufeff{\"kind\":\"MESSAGE\"}"
      })
  void what_is_not_one_json_object_is_400(String body) {
    assertThat(post("events", body).status()).isEqualTo(400);
    assertThat(post("join", body.replace("kind", "userId")).status()).isEqualTo(400);
  }

  @Test
  void a_payload_that_its_readers_would_not_take_is_400() {
    for (String name : List.of("\\udfff", "\\ud800A", "abc\\ud800")) {
      assertThat(wrong("events", "{\"kind\":\"MESSAGE\",\"payload\":{\"" + name + "\":1}}"))
          .as(name)
          .containsExactly("payload");
    }
  }

  @Test
  void the_field_that_is_wrong_is_named() {
    assertThat(wrong("events", "{}")).containsExactly("kind");
    for (String kind : List.of("\"JOIN\"", "\"message\"", "\"\"", "5", "{}", "[\"MESSAGE\"]")) {
      assertThat(wrong("events", "{\"kind\":" + kind + "}")).as(kind).containsExactly("kind");
    }
    assertThat(wrong("events", "{\"kind\":null}")).containsExactly("kind");
    for (String country : List.of("\"kr\"", "\"K\"", "\"KOR\"", "\"\"", "\"K1\"", "82", "[]")) {
      assertThat(wrong("events", "{\"kind\":\"FETCH\",\"country\":" + country + "}"))
          .as(country)
          .containsExactly("country");
      assertThat(wrong("join", "{\"userId\":\"u\",\"country\":" + country + "}"))
          .as(country)
          .containsExactly("country");
    }
    for (String app :
        List.of("\"\"", "\"a b\"", "\"" + "a".repeat(65) + "\"", "7", "\"\\u00e9\"")) {
      assertThat(wrong("events", "{\"kind\":\"FETCH\",\"app\":" + app + "}"))
          .as(app)
          .containsExactly("app");
    }
    for (String user : List.of("\"\"", "\"a b\"", "\"" + "u".repeat(129) + "\"", "{}", "false")) {
      assertThat(wrong("events", "{\"kind\":\"FETCH\",\"userId\":" + user + "}"))
          .as(user)
          .containsExactly("userId");
      assertThat(wrong("leave", "{\"userId\":" + user + "}")).as(user).containsExactly("userId");
    }
    assertThat(wrong("join", "{}")).containsExactly("userId");
    assertThat(wrong("leave", "{\"userId\":null}")).containsExactly("userId");
  }

  @Test
  void all_that_is_wrong_is_told_at_once() {
    assertThat(wrong("events", "{\"userId\":1,\"country\":\"x\",\"app\":\" \"}"))
        .containsExactly("userId", "country", "app", "kind");
  }

  @Test
  void what_is_given_twice_is_400() {
    assertThat(wrong("events", "{\"kind\":\"FETCH\",\"kind\":\"FETCH\"}")).containsExactly("kind");
    assertThat(wrong("events", "{\"kind\":\"FETCH\",\"payload\":1,\"payload\":null}"))
        .containsExactly("payload");
    assertThat(wrong("join", "{\"userId\":\"a\",\"userId\":\"b\"}")).containsExactly("userId");
  }

  @Test
  void a_payload_may_have_8_KiB_and_no_more() {
    String most = "\"" + "x".repeat(RoomEvent.MAX_PAYLOAD - 2) + "\"";
    String room = "/api/rooms/large/events";
    assertThat(api.http.post(room, payload(most)).status()).isEqualTo(202);
    String wide = "\"" + "é".repeat(RoomEvent.MAX_PAYLOAD / 2 - 1) + "\"";
    assertThat(api.http.post(room, payload(wide)).status()).isEqualTo(202);
    assertThat(wrong("events", payload("\"x" + most.substring(1)))).containsExactly("payload");
    assertThat(wrong("events", payload("\"x" + wide.substring(1)))).containsExactly("payload");
    assertThat(wrong("events", payload("[" + "0,".repeat(5_000) + "0]")))
        .containsExactly("payload");
  }

  @Test
  void a_payload_that_is_nested_without_end_is_400() {
    String deep = "[".repeat(30_000) + "]".repeat(30_000);
    assertThat(wrong("events", payload(deep))).containsExactly("payload");
    assertThat(wrong("events", payload("{\"a\":".repeat(40) + "1" + "}".repeat(40))))
        .containsExactly("payload");
    assertThat(wrong("events", "{\"kind\":\"FETCH\",\"x\":" + deep + "}")).containsExactly("x");
    assertThat(wrong("events", payload("1".repeat(5_000)))).containsExactly("payload");
  }

  @Test
  void what_is_not_utf_8_is_400() throws IOException {
    for (String bytes : List.of("\u00ff", "\u00c3(", "\u00ed\u00a0\u0080", "\u00c0\u00af")) {
      String body = "{\"kind\":\"MESSAGE\",\"payload\":\"" + bytes + "\"}";
      assertThat(raw(head("POST", EVENTS, body.length()) + body)).startsWith("HTTP/1.1 400 ");
    }
    String wide = new String("{\"kind\":\"MESSAGE\"}".getBytes(UTF_16), ISO_8859_1);
    assertThat(raw(head("POST", EVENTS, wide.length()) + wide)).startsWith("HTTP/1.1 400 ");
  }

  @Test
  void another_media_type_is_415_and_a_long_body_413() {
    for (String call : List.of("events", "join", "leave")) {
      String path = "/api/rooms/a/" + call;
      for (String type : List.of("text/plain", "application/json;charset=latin1", "a")) {
        assertThat(api.http.post(path, "{}", "Content-Type", type).status()).isEqualTo(415);
      }
      assertThat(api.http.post(path, null).status()).isEqualTo(415);
      assertThat(api.http.post(path, "{}", "Content-Encoding", "gzip").status()).isEqualTo(415);
      String large = "{\"x\":\"" + "y".repeat(65_536) + "\"}";
      assertThat(api.http.post(path, large).status()).isEqualTo(413);
      assertThat(api.http.post(path, null).status()).as("on the same connection").isEqualTo(415);
    }
  }

  @Test
  void the_query_of_a_fetch_is_checked() {
    for (String query :
        List.of("after=x", "after=", "after=-2", "after=1.5", "after=+1", "after=1&after=2")) {
      assertThat(wrongQuery(query)).as(query).containsExactly("after");
    }
    assertThat(wrongQuery("after=1234567890123456789")).containsExactly("after");
    assertThat(wrongQuery("upTo=latest")).containsExactly("upTo");
    for (String limit : List.of("0", "501", "-1", "x", "", "99999999999", "1e2")) {
      assertThat(wrongQuery("limit=" + limit)).as(limit).containsExactly("limit");
    }
    assertThat(wrongQuery("country=kr")).containsExactly("country");
    assertThat(wrongQuery("app=")).containsExactly("app");
    assertThat(wrongQuery("after=a&limit=0&upTo=b&country=c&app=d%20e"))
        .containsExactly("after", "upTo", "limit", "country", "app");
    assertThat(api.http.get(EVENTS + "?nothing=known").status()).isEqualTo(200);
  }

  @Test
  void a_query_that_cannot_be_decoded_is_400() throws IOException {
    for (String query : List.of("after=%", "after=%zz", "country=%ff%fe")) {
      assertThat(raw(head("GET", EVENTS + "?" + query, 0))).as(query).startsWith("HTTP/1.1 400 ");
    }
  }

  @Test
  void a_room_that_has_no_name_is_400_and_a_path_that_is_none_404() throws IOException {
    for (String id : List.of("a%20b", "%C3%A9", "r".repeat(129), "%3Cb%3E")) {
      for (String rest : List.of("", "/events")) {
        Http.Answer answer = api.http.get("/api/rooms/" + id + rest);
        assertThat(answer.status()).as(id + rest).isEqualTo(400);
        assertThat(fields(answer)).containsExactly("roomId");
      }
      assertThat(fields(api.http.post("/api/rooms/" + id + "/events", "{\"kind\":\"FETCH\"}")))
          .containsExactly("roomId");
      assertThat(fields(api.http.post("/api/rooms/" + id + "/join", "{\"userId\":\"u\"}")))
          .containsExactly("roomId");
    }
    for (String path :
        List.of(
            "/api/rooms",
            "/api/rooms/",
            "/api/rooms/a/",
            "/api/rooms/hot/",
            "/api/rooms/a/events/",
            "/api/rooms/a/events/1",
            "/api/rooms/a/nothing",
            "/api/rooms//events")) {
      assertThat(raw(head("GET", path, 0))).as(path).containsPattern("^HTTP/1.1 40[04] ");
    }
    assertThat(raw(head("GET", "/api/rooms/a%2Fb/events", 0))).startsWith("HTTP/1.1 400 ");
    assertThat(raw(head("GET", "/api/rooms/a/../../admin/settings", 0)))
        .containsPattern("^HTTP/1.1 40[034] ");
    assertThat(api.http.get("/api/rooms/a%3Ab").text("roomId")).isEqualTo("a:b");
  }

  @Test
  void wrong_methods_are_405_and_say_which_are_right() {
    assertThat(api.http.send("DELETE", EVENTS, null).header("Allow")).isEqualTo("GET, HEAD, POST");
    assertThat(api.http.get("/api/rooms/a/join").header("Allow")).isEqualTo("POST");
    assertThat(api.http.send("PUT", "/api/rooms/a/leave", "{}").status()).isEqualTo(405);
    assertThat(api.http.post("/api/rooms/hot", "{}").header("Allow")).isEqualTo("GET, HEAD");
    assertThat(api.http.post("/api/rooms/a", "{}").status()).isEqualTo(405);
    assertThat(api.http.send("HEAD", EVENTS, null).status()).isEqualTo(200);
  }

  @Test
  void who_does_not_read_a_long_answer_keeps_no_thread_and_is_forgotten() throws Exception {
    try (ApiUnderTest small = ApiUnderTest.start("server.jetty.threads.max=10")) {
      String room = "/api/rooms/slow/events";
      for (int i = 0; i < 40; i++) {
        small.http.post(room, payload("\"" + "x".repeat(8_000) + "\""));
      }
      String ask = "GET " + room + "?limit=500 HTTP/1.1\r\nHost: localhost\r\n\r\n";
      List<Socket> slow = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4_096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), small.port));
        // More than the connection takes by itself.
        socket.getOutputStream().write(ask.repeat(30).getBytes(UTF_8));
        slow.add(socket);
      }
      await().atMost(Duration.ofSeconds(20)).until(() -> calls(small) >= 40);

      for (int i = 0; i < 20; i++) {
        assertThat(small.http.get("/api/rooms/other/events").status()).isEqualTo(200);
      }
      try (Socket reads = slow.remove(0)) {
        InputStream in = reads.getInputStream();
        byte[] whole = in.readNBytes(500_000);
        assertThat(new String(whole, ISO_8859_1)).containsPattern("(?s)HTTP/1.1 200.*HTTP/1.1 200");
      }
      for (Socket socket : slow) {
        socket.close();
      }
      await().atMost(Duration.ofSeconds(30)).until(() -> calls(small) == 0);
      assertThat(small.http.get(room + "?limit=500").status()).isEqualTo(200);
    }
  }

  private static int calls(ApiUnderTest of) {
    return of.http
        .get("/actuator/prometheus")
        .raw()
        .body()
        .lines()
        .filter(line -> line.startsWith("sluice_room_calls_now "))
        .mapToInt(line -> (int) Double.parseDouble(line.substring(22)))
        .findFirst()
        .orElseThrow();
  }

  private static String payload(String json) {
    return "{\"kind\":\"MESSAGE\",\"payload\":" + json + "}";
  }

  private static Http.Answer post(String call, String body) {
    return api.http.post("/api/rooms/a/" + call, body);
  }

  private static List<String> wrong(String call, String body) {
    return fields(post(call, body));
  }

  private static List<String> wrongQuery(String query) {
    return fields(api.http.get(EVENTS + "?" + query));
  }

  private static List<String> fields(Http.Answer answer) {
    assertThat(answer.status()).isEqualTo(400);
    List<String> fields = new ArrayList<>();
    answer.body().path("errors").forEach(error -> fields.add(error.path("field").asString()));
    return fields;
  }

  private static String head(String method, String path, int length) {
    return method
        + " "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
        + (method.equals("POST") ? "Content-Length: " + length + "\r\n\r\n" : "\r\n");
  }

  private static String raw(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port)) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }
}
