package dev.sluice.bench.kinesis;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.sluice.bench.Blocking;
import dev.sluice.bench.http.Request;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** Kinesis's protocol in JSON, as far as it is measured. */
final class Protocol {
  private static final JsonFactory JSON = new JsonFactory();
  private static final Duration AT_MOST = Duration.ofSeconds(30);
  private static final String AUTHORIZATION =
      "AWS4-HMAC-SHA256 Credential=bench/20260101/us-east-1/kinesis/aws4_request,"
          + " SignedHeaders=host;x-amz-date, Signature=00";
  private static final int RECORD_BYTES = 100;
  private static final long LOOK_EVERY_NANOS = 50_000_000;
  private static final int KEYS = 100_000;

  private final InetSocketAddress server;

  Protocol(InetSocketAddress server) {
    this.server = server;
  }

  /** What a read gave. */
  record Page(int records, String next, long millisBehindLatest) {}

  byte[] request(String action, String body) {
    return Request.to(server, "POST", "/")
        .header("X-Amz-Target", "Kinesis_20131202." + action)
        .header("X-Amz-Date", "20260101T000000Z")
        .header("Authorization", AUTHORIZATION)
        .json(body)
        .header("Content-Type", "application/x-amz-json-1.1")
        .bytes();
  }

  /** Records of {@value #RECORD_BYTES} bytes under keys at random. */
  byte[] putRecords(String stream, int records, Random random) {
    StringBuilder body = new StringBuilder();
    byte[] data = new byte[RECORD_BYTES];
    for (int i = 0; i < records; i++) {
      random.nextBytes(data);
      body.append(i == 0 ? "" : ",")
          .append("{\"PartitionKey\":\"key-")
          .append(random.nextInt(KEYS))
          .append("\",\"Data\":\"")
          .append(Base64.getEncoder().encodeToString(data))
          .append("\"}");
    }
    return request(
        "PutRecords", "{\"StreamName\":\"%s\",\"Records\":[%s]}".formatted(stream, body));
  }

  byte[] getRecords(String iterator) {
    return request("GetRecords", "{\"Limit\":10000,\"ShardIterator\":\"%s\"}".formatted(iterator));
  }

  /** How many of a PutRecords failed. */
  static int failed(byte[] answer) throws IOException {
    try (JsonParser parser = JSON.createParser(answer)) {
      while (parser.nextToken() != null) {
        if (parser.currentToken() == JsonToken.FIELD_NAME) {
          if (parser.currentName().equals("FailedRecordCount")) {
            return parser.nextIntValue(0);
          }
          parser.nextToken();
          parser.skipChildren();
        }
      }
    }
    return 0;
  }

  static Page page(byte[] answer) throws IOException {
    int records = 0;
    String next = null;
    long behind = 0;
    try (JsonParser parser = JSON.createParser(answer)) {
      parser.nextToken();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        parser.nextToken();
        switch (field) {
          case "Records" -> {
            while (parser.nextToken() == JsonToken.START_OBJECT) {
              parser.skipChildren();
              records++;
            }
          }
          case "NextShardIterator" -> next = parser.getText();
          case "MillisBehindLatest" -> behind = parser.getLongValue();
          default -> parser.skipChildren();
        }
      }
    }
    return new Page(records, next, behind);
  }

  /** Creates a stream and waits until it serves. */
  void create(String stream, int shards) throws IOException {
    tell("CreateStream", "{\"StreamName\":\"%s\",\"ShardCount\":%d}".formatted(stream, shards));
    long deadline = System.nanoTime() + AT_MOST.toNanos();
    while (!tell("DescribeStreamSummary", "{\"StreamName\":\"%s\"}".formatted(stream))
        .contains("\"ACTIVE\"")) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(stream + " doesn't become active");
      }
    }
  }

  List<String> iterators(String stream, int shards) throws IOException {
    List<String> iterators = new ArrayList<>();
    for (int i = 0; i < shards; i++) {
      String answer =
          tell(
              "GetShardIterator",
              "{\"StreamName\":\"%s\",\"ShardId\":\"shardId-%012d\",\"ShardIteratorType\":\"TRIM_HORIZON\"}"
                  .formatted(stream, i));
      iterators.add(answer.replaceAll(".*\"ShardIterator\":\"([^\"]*)\".*", "$1"));
    }
    return iterators;
  }

  /** Waits for the answer, which must be one. */
  private String tell(String action, String body) throws IOException {
    Blocking.Answer answer = Blocking.call(server, request(action, body));
    if (!answer.isGood()) {
      throw new IOException(action + " is answered " + answer.status() + ": " + answer.body());
    }
    return answer.body();
  }

  /** Waits until it is there and answers. */
  void awaitServing() throws IOException {
    long deadline = System.nanoTime() + AT_MOST.toNanos();
    while (true) {
      try {
        tell("ListStreams", "{}");
        return;
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
        LockSupport.parkNanos(LOOK_EVERY_NANOS);
      }
    }
  }
}
