package dev.sluice.api;

import static dev.sluice.api.ApiUnderTest.name;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BadInputTest {
  private static final String ENTER = "/api/admission/enter";
  private static ApiUnderTest api;
  private static String session;
  private static int logged;

  @BeforeAll
  static void start() {
    api = ApiUnderTest.start();
    session = api.session();
    logged = api.topology.commands().size();
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @AfterEach
  void nothing_was_logged() {
    assertThat(api.topology.commands()).hasSize(logged);
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
        "\"text\"",
        "{\"roomId\":\"a\",\"requestId\":\"b\"",
        "{\"roomId\":\"a\",\"requestId\":\"b\"}}",
        "{\"roomId\":\"a\",\"requestId\":\"b\"} {}",
        "{'roomId':'a','requestId':'b'}",
        "{\"roomId\":\"a\",\"requestId\":\"b\",}",
        "{\"roomId\":\"a\",\"requestId\":\"b\",\"x\":01}"
      })
  void what_is_not_one_json_object_is_400(String body) {
    assertThat(enter(body).status()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "a b",
        "a/b",
        "a\\u0000",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\ud83d",
        "../etc",
        "a\\n",
        "%41",
        "<b>"
      })
  void odd_names_are_400_with_the_field_named(String id) {
    assertThat(field(enter(name(id, "u-1")))).containsExactly("roomId");
    assertThat(field(enter(name("r", id)))).containsExactly("requestId");
    assertThat(field(enter("{\"movieId\":\"" + id + "\",\"requestId\":\"u\"}")))
        .containsExactly("movieId");
  }

  @Test
  void names_of_129_and_of_10_000_characters_are_400() {
    assertThat(field(enter(name("r".repeat(129), "u")))).containsExactly("roomId");
    String endless = "r".repeat(10_000);
    assertThat(field(enter(name(endless, "u")))).containsExactly("roomId");
    assertThat(field(api.status(endless, "u", session))).containsExactly("roomId");
    assertThat(field(api.http.get("/api/admin/admission/status/" + endless)))
        .containsExactly("roomId");
  }

  @Test
  void names_that_are_missing_or_no_text_are_400_all_at_once() {
    assertThat(field(enter("{}"))).containsExactly("roomId", "requestId");
    assertThat(field(enter("{\"roomId\":5,\"requestId\":null}")))
        .containsExactly("roomId", "requestId");
    assertThat(field(enter("{\"roomId\":{\"a\":[1]},\"requestId\":[\"u\"]}")))
        .containsExactly("roomId", "requestId");
  }

  @Test
  void a_name_given_twice_is_400() {
    assertThat(field(enter("{\"roomId\":\"a\",\"roomId\":\"a\",\"requestId\":\"u\"}")))
        .containsExactly("roomId");
    assertThat(field(enter("{\"roomId\":\"a\",\"requestId\":\"u\",\"requestId\":\"v\"}")))
        .containsExactly("requestId");
    assertThat(field(enter("{\"roomId\":\"a\",\"movieId\":\"b\",\"requestId\":\"u\"}")))
        .containsExactly("movieId");
    assertThat(
            field(
                enter("{\"roomId\":\"a\",\"movieId\":\"a\",\"roomId\":\"a\",\"requestId\":\"u\"}")))
        .containsExactly("roomId");
    String status = "/api/admission/status?roomId=a&requestId=u&partition=3&offset=0&offset=x";
    assertThat(field(api.http.get(status, "Sluice-Session", session))).containsExactly("offset");
  }

  @Test
  void a_form_or_a_trace_is_no_call_anywhere() throws IOException {
    String end = " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    for (String path : List.of("/nothing", "/health/live", "/")) {
      for (String type : List.of("multipart/form-data", "multipart/form-data; boundary=x")) {
        String form = "Content-Type: " + type + "\r\nContent-Length: 7\r\n\r\ngarbage";
        assertThat(raw("POST " + path + end + form)).as(path).containsPattern("^HTTP/1.1 40[45] ");
      }
      assertThat(raw("TRACE " + path + end + "Sluice-Session: secret\r\n\r\n"))
          .as(path)
          .containsPattern("^HTTP/1.1 40[45] ")
          .doesNotContain("secret");
    }
  }

  @Test
  void a_deeply_nested_body_is_400() {
    String deep = "[".repeat(30_000) + "]".repeat(30_000);
    assertThat(enter("{\"roomId\":\"a\",\"x\":" + deep + "}").status()).isEqualTo(400);
  }

  @Test
  void another_media_type_is_415() {
    for (String type :
        List.of(
            "text/plain", "application/x-www-form-urlencoded", "application/json;charset=utf-16")) {
      assertThat(api.http.post(ENTER, name("a", "b"), "Content-Type", type).status())
          .as(type)
          .isEqualTo(415);
    }
    assertThat(api.http.post(ENTER, null).status()).isEqualTo(415);
    assertThat(api.http.post(ENTER, name("a", "b"), "Content-Encoding", "gzip").status())
        .isEqualTo(415);
  }

  @Test
  void a_body_over_64_KiB_is_413_whether_its_length_is_told_or_not() throws IOException {
    String large = "{\"x\":\"" + "y".repeat(65_536) + "\"}";
    assertThat(enter(large).status()).isEqualTo(413);
    String chunk = "1000\r\n" + "y".repeat(4096) + "\r\n";
    assertThat(
            raw(
                "POST "
                    + ENTER
                    + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + chunk.repeat(17)
                    + "0\r\n\r\n"))
        .startsWith("HTTP/1.1 413 ")
        .contains("application/problem+json");
  }

  @Test
  void a_body_that_comes_in_pieces_is_read_all_the_same() throws IOException {
    String answer =
        raw(
            "POST /api/admission/leave HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
                + "Sluice-Session: "
                + session
                + "\r\n\r\n",
            "a\r\n{\"roomId\":\r\n",
            "15\r\n\"a\",\"requestId\":\"b\"}\n\r\n",
            "0\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 404 ").contains("never-entered");
  }

  @Test
  void the_query_of_status_is_checked_likewise() {
    for (String query :
        List.of(
            "",
            "roomId=a",
            "requestId=b",
            "roomId=a&roomId=a&requestId=b",
            "roomId=%00&requestId=b",
            "roomId=a&movieId=b&requestId=c",
            "roomId=&requestId=b")) {
      Http.Answer answer =
          api.http.get("/api/admission/status?" + query, "Sluice-Session", session);
      assertThat(answer.status()).as(query).isEqualTo(400);
      assertThat(field(answer)).as(query).isNotEmpty();
    }
  }

  @Test
  void a_query_that_cannot_be_decoded_is_400() throws IOException {
    for (String query : List.of("roomId=%", "roomId=%zz&requestId=b", "roomId=%ff&requestId=b")) {
      assertThat(
              raw(
                  "GET /api/admission/status?"
                      + query
                      + " HTTP/1.1\r\nHost: localhost\r\n"
                      + "Connection: close\r\nSluice-Session: "
                      + session
                      + "\r\n\r\n"))
          .as(query)
          .startsWith("HTTP/1.1 400 ")
          .contains("application/problem+json");
    }
  }

  @Test
  void unknown_paths_are_404() {
    for (String path :
        List.of(
            "/nothing",
            "/api",
            "/api/admission",
            "/api/admission/",
            "/api/admission/enter/",
            "/api/admission/nothing",
            "/api/sessions",
            "/api/admin/nothing",
            "/error",
            "/actuator",
            "/actuator/env",
            "/health",
            "/health/nothing")) {
      assertThat(api.http.get(path).status()).as(path).isEqualTo(404);
    }
  }

  @Test
  void wrong_methods_are_405_and_say_which_are_right() {
    assertThat(api.http.get(ENTER).header("Allow")).isEqualTo("POST");
    assertThat(api.http.send("DELETE", "/api/admission/leave", null).status()).isEqualTo(405);
    assertThat(api.http.post("/api/admission/status", "{}").header("Allow")).contains("GET");
    assertThat(api.http.post("/api/admission/keys", "{}").status()).isEqualTo(405);
    assertThat(api.http.get("/api/sessions/issue").status()).isEqualTo(405);
    assertThat(api.http.post("/api/admin/settings", "{}").header("Allow")).contains("GET");
    assertThat(api.http.post("/health/live", "{}").status()).isEqualTo(405);
  }

  @Test
  void what_the_container_refuses_is_a_problem_too() throws IOException {
    for (String request :
        List.of(
            "GET / HTTP/9.9\r\n\r\n",
            "GET /api/%2e%2e%2f HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "GET /%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nBad Header\r\nConnection: close\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: "
                + "y".repeat(40_000)
                + "\r\n\r\n",
            "GET / HTTP/1.1\r\nConnection: close\r\n\r\n")) {
      String answer = raw(request);
      assertThat(answer)
          .as(request.substring(0, Math.min(60, request.length())))
          .containsPattern("^HTTP/1.1 [45]\\d\\d ")
          .contains("application/problem+json")
          .doesNotContain("Exception", "jetty", "<html", "Server:");
    }
  }

  private Http.Answer enter(String body) {
    return api.http.post(ENTER, body);
  }

  private static List<String> field(Http.Answer answer) {
    assertThat(answer.status()).isEqualTo(400);
    List<String> fields = new ArrayList<>();
    answer.body().path("errors").forEach(error -> fields.add(error.path("field").asString()));
    return fields;
  }

  /** Sends {@code parts} over a socket of its own and reads until it is closed. */
  private static String raw(String... parts) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.port)) {
      socket.setSoTimeout(10_000);
      socket.setTcpNoDelay(true);
      for (String part : parts) {
        socket.getOutputStream().write(part.getBytes(ISO_8859_1));
        socket.getOutputStream().flush();
      }
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }
}
