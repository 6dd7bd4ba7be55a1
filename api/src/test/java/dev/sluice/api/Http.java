package dev.sluice.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A caller of the API at a port of this machine; every answer is checked against OpenAPI. */
public final class Http {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  private final String base;

  /** An answer, its body read as JSON where there is one. */
  public record Answer(int status, JsonNode body, HttpResponse<String> raw) {
    public String text(String field) {
      return body.path(field).asString("");
    }

    public String header(String name) {
      return raw.headers().firstValue(name).orElse(null);
    }
  }

  public Http(int port) {
    this.base = "http://127.0.0.1:" + port;
  }

  public Answer get(String path, String... headers) {
    return send("GET", path, null, headers);
  }

  public Answer post(String path, String json, String... headers) {
    return send("POST", path, json, headers);
  }

  /** Sends {@code json} as {@code application/json}; null: no body and no type. */
  public Answer send(String method, String path, String json, String... headers) {
    return sendAsync(method, path, json, headers).join();
  }

  public CompletableFuture<Answer> sendAsync(
      String method, String path, String json, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(Duration.ofSeconds(30))
            .method(method, json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json));
    if (json != null) {
      request.setHeader("Content-Type", "application/json");
    }
    for (int i = 0; i < headers.length; i += 2) {
      request.setHeader(headers[i], headers[i + 1]);
    }
    return CLIENT
        .sendAsync(request.build(), BodyHandlers.ofString())
        .thenApply(response -> answer(method, path, response));
  }

  private Answer answer(String method, String path, HttpResponse<String> response) {
    String type = response.headers().firstValue("Content-Type").orElse("");
    JsonNode body = type.contains("json") ? parse(response.body()) : null;
    if (response.statusCode() >= 400 && !method.equals("HEAD")) {
      assertProblem(response, type, body);
    }
    OpenApiCheck.check(method, path, response.statusCode(), body);
    return new Answer(response.statusCode(), body, response);
  }

  private static void assertProblem(HttpResponse<String> response, String type, JsonNode body) {
    assertThat(type).isEqualTo("application/problem+json");
    assertThat(body.path("status").asInt()).isEqualTo(response.statusCode());
    assertThat(body.path("type").asString("")).startsWith("urn:sluice:problem:");
    assertThat(body.path("title").asString("")).isNotEmpty();
    assertThat(body.path("detail").asString("")).isNotEmpty();
    assertThat(response.body()).doesNotContain("Exception", "java.", "dev.sluice", "\tat ");
    if (response.statusCode() == 429 || response.statusCode() == 503) {
      assertThat(response.headers().firstValue("Retry-After")).isPresent();
    }
  }

  private static JsonNode parse(String text) {
    return text.isEmpty() ? null : JsonMapper.shared().readTree(text);
  }
}
