package dev.sluice.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Everything in one process: who comes by Kinesis stands where who comes by REST does. */
@Tag("slow")
@Timeout(value = 3, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KinesisEntryTest {
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path data;
  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void an_entry_put_by_kinesis_is_an_entry_and_its_outcome_is_read_there() throws Exception {
    try (SluiceProcess sluice =
        SluiceProcess.start(data, "--server.port=0", "--sluice.broker.port=0")) {
      String root = "http://localhost:" + sluice.awaitReady();
      String line = sluice.awaitLine("  kinesis");
      KinesisClient kinesis = new KinesisClient(line.strip().split("\\s+")[1].replace(",", ""));
      String session =
          JSON.readTree(send(root, "/api/sessions/issue", null, "").body())
              .get("sessionId")
              .asString();

      kinesis.call("PutRecord", record("{\"type\":\"ENTER\",%s}", session));
      JsonNode standing =
          await()
              .atMost(Duration.ofSeconds(30))
              .until(() -> status(root, session), answer -> answer.statusCode() == 200)
              .body()
              .transform(JSON::readTree);
      assertThat(standing.get("status").asString()).isEqualTo("ADMITTED");
      assertThat(standing.get("ticket").asLong()).isEqualTo(1);

      kinesis.call("PutRecord", record("{\"type\":\"COMPLETE\",\"ticket\":1,%s}", session));
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> status(root, session).body().contains("COMPLETED"));
      List<KinesisClient.Stored> outcomes = kinesis.readAll("outcomes");
      assertThat(outcomes)
          .anySatisfy(outcome -> assertThat(outcome.text()).contains("ADMITTED", "u-1"))
          .anySatisfy(outcome -> assertThat(outcome.text()).contains("COMPLETED", "u-1"));
      assertThat(send(root, "/actuator/prometheus", session, null).body())
          .contains("sluice_kinesis_calls_seconds_count{operation=\"PutRecord\"");
    }
  }

  private static String record(String command, String session) {
    String json =
        command.formatted(
            "\"v\":1,\"roomId\":\"lobby\",\"requestId\":\"u-1\",\"session\":\"%s\""
                .formatted(session));
    return "{\"StreamName\":\"entries\",\"PartitionKey\":\"any\",\"Data\":\"%s\"}"
        .formatted(Base64.getEncoder().encodeToString(json.getBytes(UTF_8)));
  }

  private HttpResponse<String> status(String root, String session) throws Exception {
    return send(
        root, "/api/admission/status?roomId=lobby&requestId=u-1", session, /* body= */ null);
  }

  private HttpResponse<String> send(String root, String path, String session, String body)
      throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(root + path));
    if (session != null) {
      request.header("Sluice-Session", session);
    }
    if (body != null) {
      request.POST(HttpRequest.BodyPublishers.ofString(body));
    }
    return http.send(request.build(), BodyHandlers.ofString());
  }
}
