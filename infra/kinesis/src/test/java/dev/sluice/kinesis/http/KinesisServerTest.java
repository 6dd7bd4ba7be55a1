package dev.sluice.kinesis.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.kinesis.call.Operation;
import dev.sluice.kinesis.wire.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KinesisServerTest {
  private static final String JSON = "application/x-amz-json-1.1";
  private static final String CBOR = "application/x-amz-cbor-1.1";
  private static final String SIGNED =
      "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/kinesis/aws4_request,"
          + " SignedHeaders=host;x-amz-date, Signature=b";

  private final FakeOperations fake = new FakeOperations();
  private final HttpClient http = HttpClient.newHttpClient();
  private KinesisServer server;

  @AfterEach
  void stop() {
    server.close();
  }

  /** What the service itself has been seen to answer, in the order in which it looks. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      value = {
        "/|application/x-amz-json-1.1|-|-||400|{\"__type\":\"UnknownOperationException\"}",
        "/|application/x-amz-json-1.1|ListStreams|-||400|{\"__type\":\"SerializationException\"}",
        "/|application/x-amz-json-1.1|ListStreams|-|hello|400|"
            + "{\"__type\":\"SerializationException\"}",
        "/|application/x-amz-json-1.1|ListStream|-|hello|400|"
            + "{\"__type\":\"SerializationException\"}",
        "/|application/x-amz-json-1.1|ListStream|-|{}|400|"
            + "{\"__type\":\"UnknownOperationException\"}",
        "/|application/x-amz-json-1.1|ListStreams|-|{}|400|"
            + "{\"__type\":\"MissingAuthenticationTokenException\","
            + "\"message\":\"Missing Authentication Token\"}",
        "/|application/x-amz-json-1.1|PutRecord|-|{\"Data\":1}|400|"
            + "{\"__type\":\"MissingAuthenticationTokenException\","
            + "\"message\":\"Missing Authentication Token\"}",
        "/|application/x-amz-json-1.1|ListStreams|X|{}|400|"
            + "{\"__type\":\"IncompleteSignatureException\","
            + "\"message\":\"Authorization header requires 'Credential' parameter. Authorization"
            + " header requires 'Signature' parameter. Authorization header requires"
            + " 'SignedHeaders' parameter. Authorization header requires existence of either a"
            + " 'X-Amz-Date' or a 'Date' header. Authorization=X\"}",
        "/?X-Amz-Algorithm|application/x-amz-json-1.1|ListStreams|X|{}|400|"
            + "{\"__type\":\"InvalidSignatureException\",\"message\":\"Found both"
            + " 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.\"}",
        "/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d|"
            + "application/x-amz-json-1.1|ListStreams|-|{}|400|"
            + "{\"__type\":\"IncompleteSignatureException\",\"message\":\"AWS query-string"
            + " parameters must include 'X-Amz-SignedHeaders'. Re-examine the query-string"
            + " parameters.\"}",
        "/|application/json|ListStreams|-|{}|404|<UnknownOperationException/>",
        "/|-|ListStreams|-|{}|404|<UnknownOperationException/>"
      })
  void aRequestIsLookedAtInOrder(
      String path,
      String contentType,
      String action,
      String authorization,
      String body,
      int status,
      String answer)
      throws Exception {
    start(HttpSettings.local(0));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .POST(HttpRequest.BodyPublishers.ofString(body == null ? "" : body));
    header(request, "Content-Type", contentType);
    header(request, "X-Amz-Target", action == null ? null : "Kinesis_20131202." + action);
    header(request, "Authorization", authorization);

    HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());

    assertThat(response.body().strip()).isEqualTo(answer);
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.headers().firstValue("x-amzn-RequestId").orElseThrow()).hasSize(36);
    assertThat(response.headers().firstValue("x-amz-id-2").orElseThrow()).hasSize(96);
  }

  private static void header(HttpRequest.Builder request, String name, String value) {
    if (value != null) {
      request.header(name, value);
    }
  }

  @Test
  void whatNamesNoOperationIsRefused() throws Exception {
    start(HttpSettings.local(0));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port()))
            .POST(HttpRequest.BodyPublishers.ofString("{}"))
            .build();

    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(403);
    assertThat(response.body())
        .isEqualTo(
            """
            <AccessDeniedException>
              <Message>Unable to determine service/operation name to be authorized</Message>
            </AccessDeniedException>
            """);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH"})
  void onlyPostIsServed(String method) throws Exception {
    start(HttpSettings.local(0));

    HttpResponse<String> response =
        http.send(
            request("ListStreams", JSON)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build(),
            BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(403);
  }

  @Test
  void pagesInBrowsersArentServed() throws Exception {
    start(HttpSettings.local(0));

    HttpResponse<String> response =
        http.send(
            request("ListStreams", JSON)
                .header("Origin", "http://elsewhere")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                .build(),
            BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(403);
  }

  @Test
  void aWrongTypeIsAnErrorOfSerialization() throws Exception {
    start(HttpSettings.local(0));

    assertThat(post("PutRecord", "{\"Data\":1,\"PartitionKey\":\"k\"}").body())
        .isEqualTo(
            "{\"__type\":\"SerializationException\",\"Message\":\"class"
                + " com.amazon.coral.value.json.numbers.TruncatingBigNumber can not be converted"
                + " to a Blob\"}");
    assertThat(post("PutRecord", "{\"PartitionKey\":\"k\"}").body())
        .startsWith("{\"__type\":\"SerializationException\",\"Message\":\"");
    assertThat(post("PutRecord", "{\"PartitionKey\":\"k\",\"Data\":null}").body())
        .startsWith("{\"__type\":\"SerializationException\",\"Message\":\"");
    assertThat(fake.records).isEmpty();
  }

  @Test
  void anErrorIsInTheFormatOfTheRequest() throws Exception {
    start(HttpSettings.local(0));

    HttpResponse<byte[]> response =
        http.send(
            request("ListStreams", CBOR)
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[] {(byte) 0xbf}))
                .build(),
            BodyHandlers.ofByteArray());

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.headers().firstValue("Content-Type")).hasValue(CBOR);
    assertThat(new String(response.body(), ISO_8859_1)).contains("SerializationException");
  }

  @Test
  void anAnswerWithoutContentHasNoBody() throws Exception {
    start(HttpSettings.local(0));

    HttpResponse<String> response = post("CreateStream", "{\"StreamName\":\"a\"}");

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEmpty();
    assertThat(response.headers().firstValue("Content-Length")).hasValue("0");
  }

  @Test
  void whatIsUnexpectedIsAnInternalFailureAndSaysNoMore() throws Exception {
    start(HttpSettings.local(0));
    List<Operation> failures =
        List.of(
            (input, caller) -> {
              throw new IllegalStateException("secret");
            },
            (input, caller) -> CompletableFuture.failedFuture(new IOException("secret")),
            (input, caller) ->
                FakeOperations.answer(
                    out -> {
                      throw new IOException("secret");
                    }));
    for (Operation failure : failures) {
      fake.limits = failure;

      HttpResponse<String> response = post("DescribeLimits", "{}");

      assertThat(response.statusCode()).isEqualTo(500);
      assertThat(response.body()).isEqualTo("{\"__type\":\"InternalFailure\"}");
    }
  }

  @Test
  void moreThanThereIsRoomForIsToldToComeAgain() throws Exception {
    start(settings(1, 1 << 20, Duration.ofSeconds(30), Duration.ofSeconds(60)));
    CompletableFuture<Answer> slow = new CompletableFuture<>();
    CompletableFuture<Void> arrived = new CompletableFuture<>();
    fake.limits =
        (input, caller) -> {
          arrived.complete(null);
          return slow;
        };

    CompletableFuture<HttpResponse<String>> first =
        http.sendAsync(body("DescribeLimits", "{}"), BodyHandlers.ofString());
    arrived.join();
    HttpResponse<String> second = post("ListStreams", "{}");
    slow.complete(Answer.NOTHING);

    assertThat(second.statusCode()).isEqualTo(503);
    assertThat(second.body()).startsWith("{\"__type\":\"ServiceUnavailableException\"");
    assertThat(first.join().statusCode()).isEqualTo(200);
    await().until(() -> post("ListStreams", "{}").statusCode() == 200);
  }

  @Test
  void largeBodiesHaveOnlySoMuchMemoryAndSmallOnesAlwaysPass() throws Exception {
    start(settings(100, 100_000, Duration.ofSeconds(30), Duration.ofSeconds(60)));

    assertThat(post("ListStreams", "{\"x\":\"" + "x".repeat(200_000) + "\"}").statusCode())
        .isEqualTo(503);
    for (int i = 0; i < 10; i++) {
      assertThat(post("ListStreams", "{\"x\":\"" + "x".repeat(90_000) + "\"}").statusCode())
          .isEqualTo(200);
    }
    server.close();
    start(settings(100, 0, Duration.ofSeconds(30), Duration.ofSeconds(60)));
    assertThat(post("ListStreams", "{\"x\":\"" + "x".repeat(7_000) + "\"}").statusCode())
        .isEqualTo(200);
  }

  @Test
  void tenMebibytesOfDataAreServedAndMoreThanTheLimitRefused() throws Exception {
    start(HttpSettings.local(0));
    String data = "A".repeat(10_485_760 / 3 * 4);

    assertThat(
            post(
                    "PutRecord",
                    "{\"StreamName\":\"a\",\"PartitionKey\":\"k\",\"Data\":\"" + data + "\"}")
                .statusCode())
        .isEqualTo(200);
    assertThat(
            raw(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: "
                    + JSON
                    + "\r\nContent-Length: 100000000\r\n\r\n"))
        .startsWith("HTTP/1.1 413 ")
        .contains("{\"__type\":\"RequestEntityTooLargeException\"");
  }

  @Test
  void aBodyThatIsAnnouncedButDoesntComeIsGivenUp() throws Exception {
    start(settings(100, 1 << 20, Duration.ofMillis(200), Duration.ofSeconds(60)));

    assertThat(
            raw(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: "
                    + JSON
                    + "\r\nContent-Length: 100\r\n\r\n{"))
        .startsWith("HTTP/1.1 408 ");
  }

  @Test
  void aBodyThatTakesTooLongIsGivenUp() throws Exception {
    start(settings(100, 1 << 20, Duration.ofSeconds(30), Duration.ofNanos(1)));

    assertThat(
            raw(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: "
                    + JSON
                    + "\r\nContent-Length: 100\r\n\r\n{"))
        .startsWith("HTTP/1.1 408 ");
  }

  @Test
  void aSubscriberThatDoesntReadHoldsBackItsEventsAndIsGivenUp() throws Exception {
    start(settings(100, 1 << 20, Duration.ofMillis(500), Duration.ofSeconds(60)));
    AtomicInteger events = new AtomicInteger();
    byte[] data = new byte[1 << 20];
    fake.more =
        () -> {
          events.incrementAndGet();
          return FakeOperations.answer(out -> out.blob("Data", data));
        };
    String body =
        "{\"ConsumerARN\":\""
            + FakeOperations.ARN
            + "/consumer/c:1\",\"ShardId\":\"s\",\"StartingPosition\":{\"Type\":\"LATEST\"}}";
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      String request =
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: "
              + JSON
              + "\r\nX-Amz-Target: Kinesis_20131202.SubscribeToShard\r\nX-Amz-Date: a\r\nAuthorization: "
              + SIGNED
              + "\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n"
              + body;
      socket.getOutputStream().write(request.getBytes(UTF_8));

      await().until(() -> fake.closed.get() == 1);
      assertThat(events).hasValueLessThan(50);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\r\n\r\n\r\n",
        "x\r\n\r\n",
        "POST /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: "
            + JSON
            + "\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      })
  void whatIsntHttpIsRefused(String garbage) throws Exception {
    start(settings(100, 1 << 20, Duration.ofMillis(300), Duration.ofSeconds(60)));

    assertThat(raw(garbage)).doesNotContain("HTTP/1.1 5").doesNotContain("Exception:");
  }

  @Test
  void headersAreLimited() throws Exception {
    start(HttpSettings.local(0));

    assertThat(raw("POST / HTTP/1.1\r\nHost: a\r\nX: " + "x".repeat(20_000) + "\r\n\r\n"))
        .startsWith("HTTP/1.1 431 ");
  }

  @Test
  void withoutKeysOnlyLoopbackIsListenedOn() throws Exception {
    start(HttpSettings.local(0));

    assertThatThrownBy(() -> HttpSettings.local(0).withKeys("0.0.0.0", Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("loopback");
    assertThat(HttpSettings.local(0).withKeys("0.0.0.0", Map.of("key", "hidden")).toString())
        .contains("key")
        .doesNotContain("hidden");
  }

  @Test
  void aPortThatIsTakenIsSaidSo() throws Exception {
    start(HttpSettings.local(0));
    try (KinesisServer other =
        new KinesisServer(
            HttpSettings.local(server.port()),
            fake.operations(),
            Clock.systemUTC(),
            FakeOperations.MEMORY,
            FakeOperations.METERS)) {
      assertThatThrownBy(other::start).isInstanceOf(IOException.class);
    }
  }

  private void start(HttpSettings settings) throws IOException {
    server =
        new KinesisServer(
            settings,
            fake.operations(),
            Clock.systemUTC(),
            FakeOperations.MEMORY,
            FakeOperations.METERS);
    server.start();
  }

  private static HttpSettings settings(int requests, long bytes, Duration idle, Duration body) {
    return new HttpSettings("127.0.0.1", 0, null, Map.of(), requests, 10, 100, bytes, idle, body);
  }

  private HttpResponse<String> post(String action, String body) throws Exception {
    return http.send(body(action, body), BodyHandlers.ofString());
  }

  private HttpRequest body(String action, String body) {
    return request(action, JSON).POST(HttpRequest.BodyPublishers.ofString(body)).build();
  }

  private HttpRequest.Builder request(String action, String contentType) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/"))
        .header("Content-Type", contentType)
        .header("X-Amz-Target", "Kinesis_20131202." + action)
        .header("X-Amz-Date", "20260101T000000Z")
        .header("Authorization", SIGNED);
  }

  /** Sends bytes and gives what comes back until the connection is closed. */
  private String raw(String bytes) throws IOException {
    List<byte[]> parts = new ArrayList<>();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(bytes.getBytes(UTF_8));
      byte[] buffer = new byte[4096];
      for (int n = socket.getInputStream().read(buffer);
          n >= 0;
          n = socket.getInputStream().read(buffer)) {
        byte[] part = new byte[n];
        System.arraycopy(buffer, 0, part, 0, n);
        parts.add(part);
      }
    } catch (SocketException e) {
      // Reset: what came before it counts.
    }
    StringBuilder text = new StringBuilder();
    parts.forEach(part -> text.append(new String(part, ISO_8859_1)));
    return text.toString();
  }
}
