package dev.sluice.standalone;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Speaks Kinesis's protocol, tries nothing twice. Thread-safe. */
final class KinesisClient {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration AT_MOST = Duration.ofSeconds(40);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI server;

  KinesisClient(String url) {
    this.server = URI.create(url);
  }

  /** A record as it is read. */
  record Stored(String sequenceNumber, String text) {}

  /**
   * What is answered.
   *
   * @throws IOException if it is a refusal, or none comes
   */
  JsonNode call(String action, String body) throws IOException, InterruptedException {
    HttpResponse<String> response = http.send(request(action, body), BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new IOException(action + ": " + response.statusCode() + " " + response.body());
    }
    return response.body().isEmpty() ? JSON.createObjectNode() : JSON.readTree(response.body());
  }

  void callWithoutWaiting(String action, String body) {
    var unused = http.sendAsync(request(action, body), BodyHandlers.discarding());
  }

  private HttpRequest request(String action, String body) {
    return HttpRequest.newBuilder(server)
        .timeout(AT_MOST)
        .header("Content-Type", "application/x-amz-json-1.1")
        .header("X-Amz-Target", "Kinesis_20131202." + action)
        .header("X-Amz-Date", "20260101T000000Z")
        .header(
            "Authorization",
            "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/kinesis/aws4_request,"
                + " SignedHeaders=host;x-amz-date, Signature=b")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  void create(String stream, int shards) throws IOException, InterruptedException {
    JsonNode unused =
        call("CreateStream", "{\"StreamName\":\"%s\",\"ShardCount\":%d}".formatted(stream, shards));
    String named = "{\"StreamName\":\"%s\"}".formatted(stream);
    while (!call("DescribeStreamSummary", named)
        .get("StreamDescriptionSummary")
        .get("StreamStatus")
        .asString()
        .equals("ACTIVE")) {
      Thread.onSpinWait();
    }
  }

  /** All records of all shards. */
  List<Stored> readAll(String stream) throws IOException, InterruptedException {
    List<Stored> all = new ArrayList<>();
    for (JsonNode shard :
        call("ListShards", "{\"StreamName\":\"%s\"}".formatted(stream)).get("Shards")) {
      JsonNode iterator =
          call(
                  "GetShardIterator",
                  "{\"StreamName\":\"%s\",\"ShardId\":\"%s\",\"ShardIteratorType\":\"TRIM_HORIZON\"}"
                      .formatted(stream, shard.get("ShardId").asString()))
              .get("ShardIterator");
      while (iterator != null && !iterator.isNull()) {
        JsonNode page =
            call("GetRecords", "{\"ShardIterator\":\"%s\"}".formatted(iterator.asString()));
        for (JsonNode record : page.get("Records")) {
          byte[] data = Base64.getDecoder().decode(record.get("Data").asString());
          all.add(new Stored(record.get("SequenceNumber").asString(), new String(data, UTF_8)));
        }
        boolean done =
            page.get("Records").isEmpty() && page.get("MillisBehindLatest").asLong() == 0;
        iterator = done ? null : page.get("NextShardIterator");
      }
    }
    return all;
  }
}
