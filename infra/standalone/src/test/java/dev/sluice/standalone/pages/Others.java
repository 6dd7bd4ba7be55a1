package dev.sluice.standalone.pages;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The other people in a room, and its operator, over HTTP. */
final class Others {
  private static final String TIMEOUT = "/api/admin/settings/admission.session-timeout";

  private final HttpClient http = HttpClient.newHttpClient();
  private final String site;
  private final String roomId;
  private final Map<String, String> sessions = new HashMap<>();
  private int probes;
  private final Map<String, String> passes = new HashMap<>();

  Others(String site, String roomId) {
    this.site = site;
    this.roomId = roomId;
  }

  /** Enters, each in a session of their own, and says how it went. */
  String enter(String requestId) {
    String answer = call("POST", "/api/admission/enter", person(requestId), null);
    sessions.put(requestId, field(answer, "sessionId"));
    String status = field(answer, "status");
    if (status.equals("ADMITTED")) {
      passes.put(requestId, field(answer, "pass"));
    }
    return status;
  }

  void complete(String requestId) {
    call("POST", "/api/admission/complete", person(requestId), sessions.get(requestId));
  }

  void leave(String requestId) {
    call("POST", "/api/admission/leave", person(requestId), sessions.get(requestId));
  }

  /** The pass of someone who was admitted on entering. */
  String pass(String requestId) {
    return passes.get(requestId);
  }

  /** When a pass ends. */
  static Instant endOf(String pass) {
    String claims = new String(Base64.getUrlDecoder().decode(pass.split("\\.", -1)[1]), UTF_8);
    return Instant.ofEpochSecond(Long.parseLong(claims.replaceAll(".*\"exp\":(\\d+).*", "$1")));
  }

  /** Has every room without a setting of its own keep places for so long without a heartbeat. */
  static void keepAllPlacesFor(int seconds, String site) {
    Others everywhere = new Others(site, "probe");
    everywhere.call("PUT", TIMEOUT, "\"" + seconds + "s\"", null);
    everywhere.awaitPlacesOf(seconds);
  }

  /** Has this room, which has a place free, do so. Returns once it does. */
  void keepPlacesFor(int seconds) {
    set("admission.session-timeout", "\"" + seconds + "s\"");
    awaitPlacesOf(seconds);
  }

  /** Someone enters, looks how long the place is kept, and leaves. */
  private void awaitPlacesOf(int seconds) {
    await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              String probe = "probe-" + probes++;
              enter(probe);
              long kept = Duration.between(Instant.now(), endOf(pass(probe))).toSeconds();
              leave(probe);
              return Math.abs(kept - seconds) <= Math.max(2, seconds / 4);
            });
  }

  /** Gives this room so many places. Returns once they are in force. */
  void capacity(int places) {
    set("admission.capacity", Integer.toString(places));
    awaitRoom("\"capacity\":" + places + ",");
  }

  /** Brings this room into a state. Returns once it is. */
  void state(String state) {
    set("admission.state", "\"" + state + "\"");
    awaitRoom("\"state\":\"" + state + "\"");
  }

  private void awaitRoom(String part) {
    await(part).atMost(Duration.ofSeconds(30)).until(() -> room().contains(part));
  }

  private void set(String key, String json) {
    call("PUT", "/api/admin/settings/" + key + "?room=" + roomId, json, null);
  }

  /** The room as the operator sees it. */
  String room() {
    return call("GET", "/api/admin/admission/status/" + roomId, null, null);
  }

  /** All connections of the site as the operator sees them. */
  String push() {
    return call("GET", "/api/v1/monitor/websocket/status", null, null);
  }

  private String person(String requestId) {
    return "{\"roomId\":\"%s\",\"requestId\":\"%s\"}".formatted(roomId, requestId);
  }

  private String call(String method, String path, String body, String session) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(site + path))
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .header("Content-Type", "application/json");
    if (session != null) {
      request.header("Sluice-Session", session);
    }
    try {
      HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
      assertThat(response.statusCode())
          .as("%s %s: %s", method, path, response.body())
          .isLessThan(300);
      return response.body();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String field(String json, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
    assertThat(matcher.find()).as("%s in %s", name, json).isTrue();
    return matcher.group(1);
  }
}
