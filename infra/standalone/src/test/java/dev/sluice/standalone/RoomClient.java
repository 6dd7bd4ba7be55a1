package dev.sluice.standalone;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A client of one room over REST. Thread-safe. */
final class RoomClient {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final HttpClient http = HttpClient.newHttpClient();
  private final String root;
  private final String roomId;

  /** What Sluice said of a person. */
  record Standing(
      String requestId, String session, String status, long ticket, long rank, long offset) {}

  RoomClient(int port, String roomId) {
    this.root = "http://localhost:" + port;
    this.roomId = roomId;
  }

  /** Enters with a session of their own; fails unless the entry is acknowledged with a ticket. */
  CompletableFuture<Standing> enter(String requestId) {
    return enter(requestId, null);
  }

  /** Enters with a session that there is already, or with a new one when null. */
  CompletableFuture<Standing> enter(String requestId, String session) {
    String body = "{\"roomId\":\"%s\",\"requestId\":\"%s\"}".formatted(roomId, requestId);
    HttpRequest.Builder request =
        to("/api/admission/enter")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (session != null) {
      request.header("Sluice-Session", session);
    }
    return http.sendAsync(request.build(), BodyHandlers.ofString())
        .thenApply(answer -> standing(requestId, session, answer));
  }

  /** How a person stands now. */
  Standing status(Standing person) throws IOException, InterruptedException {
    HttpRequest request =
        to("/api/admission/status?roomId=" + roomId + "&requestId=" + person.requestId())
            .header("Sluice-Session", person.session())
            .build();
    return standing(
        person.requestId(), person.session(), http.send(request, BodyHandlers.ofString()));
  }

  /** The status of an answer, 0 when nobody answers. */
  int statusOf(String path) throws InterruptedException {
    try {
      return http.send(to(path).build(), BodyHandlers.discarding()).statusCode();
    } catch (IOException e) {
      return 0;
    }
  }

  /** What is at a path. */
  String text(String path) throws IOException, InterruptedException {
    return http.send(to(path).build(), BodyHandlers.ofString()).body();
  }

  /** An answer, its body read as JSON. */
  record Answer(int status, JsonNode body) {}

  /**
   * Calls the room.
   *
   * @param path after the room, such as {@code /events}
   * @param json sent by POST; null to GET
   * @throws IOException when nobody answers
   */
  Answer call(String path, String json) throws IOException, InterruptedException {
    HttpRequest.Builder request = to("/api/rooms/" + roomId + path);
    if (json != null) {
      request
          .header("Content-Type", "application/json")
          .POST(HttpRequest.BodyPublishers.ofString(json));
    }
    HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString());
    return new Answer(answer.statusCode(), JSON.readTree(answer.body()));
  }

  /** Whether the room is in the list of hot ones. */
  boolean isHot() throws IOException, InterruptedException {
    HttpResponse<String> hot = http.send(to("/api/rooms/hot").build(), BodyHandlers.ofString());
    return hot.statusCode() == 200
        && JSON.readTree(hot.body()).findValuesAsString("roomId").contains(roomId);
  }

  /** Pauses the room; returns once that is in force. */
  void pause() throws IOException, InterruptedException {
    set("admission.state", "\"PAUSED\"");
    HttpRequest asked = to("/api/admin/admission/status/" + roomId).build();
    await()
        .atMost(PATIENCE)
        .until(
            () -> http.send(asked, BodyHandlers.ofString()).body(),
            answer -> answer.contains("\"PAUSED\""));
  }

  /** Writes a setting of the room. */
  void set(String key, String json) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        http.send(
            to("/api/admin/settings/" + key + "?room=" + roomId)
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(json))
                .build(),
            BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new AssertionError(answer.statusCode() + " " + answer.body());
    }
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(root + path)).timeout(PATIENCE);
  }

  private static Standing standing(String requestId, String session, HttpResponse<String> answer) {
    if (answer.statusCode() / 100 != 2) {
      throw new IllegalStateException(answer.statusCode() + " " + answer.body());
    }
    JsonNode body = JSON.readTree(answer.body());
    if (!body.hasNonNull("ticket")) {
      throw new IllegalStateException("no ticket: " + answer.body());
    }
    return new Standing(
        requestId,
        session == null ? body.get("sessionId").asString() : session,
        body.get("status").asString(),
        body.get("ticket").asLong(),
        body.path("rank").asLong(),
        body.get("receipt").get("offset").asLong());
  }
}
