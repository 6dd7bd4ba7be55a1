package dev.sluice.kinesis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/** Clients that ask for much and hardly read take nothing from the others. */
@Timeout(90)
class SlowReadersTest {
  private static final String FIRST = "shardId-000000000000";
  private static final int RECORDS = 8;
  private static final int RECORD_BYTES = 1_000_000;
  private static final int READERS = 30;

  private static final Endpoints ENDPOINTS = new Endpoints();
  private static KinesisEndpoint endpoint;
  private static KinesisClient client;
  private static String stream;

  @BeforeAll
  static void start() throws Exception {
    endpoint = ENDPOINTS.startWithMemory(Clock.systemUTC(), 16 << 20);
    client = ENDPOINTS.impatientClient(endpoint);
    stream = ENDPOINTS.create(client, 1);
    String large = "x".repeat(RECORD_BYTES);
    for (int i = 0; i < RECORDS; i++) {
      Endpoints.put(client, stream, "key", large);
    }
  }

  @AfterAll
  static void stop() throws Exception {
    ENDPOINTS.close();
  }

  @Test
  void whoeverReadsSlowlyRefusesNobodyAndAllIsReadInShorterPages() throws Exception {
    String iterator = Endpoints.iterator(client, stream, FIRST, ShardIteratorType.TRIM_HORIZON);
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < READERS; i++) {
        slow.add(ask("GetRecords", "{\"ShardIterator\":\"%s\"}".formatted(iterator)));
      }
      for (Socket socket : slow) {
        assertThat(socket.getInputStream().read()).isEqualTo('H');
      }
      Endpoints.put(client, stream, "key", "small");
      assertThat(Endpoints.all(client, stream, FIRST)).hasSizeGreaterThan(RECORDS);
      assertThat(client.listStreams().streamNames()).contains(stream);
    } finally {
      closeAll(slow);
    }
    Awaitility.await().until(() -> Endpoints.get(client, iterator).records().size() >= RECORDS / 2);
  }

  @Test
  void subscribersThatDontReadWaitForMemoryAndTheOthersAreServedWhenTheyHaveGone()
      throws Exception {
    List<Socket> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 15; i++) {
        slow.add(subscribe("slow-" + i));
      }
      Endpoints.put(client, stream, "key", "small");
      assertThat(client.listStreams().streamNames()).contains(stream);
    } finally {
      closeAll(slow);
    }
    try (Socket last = subscribe("last")) {
      last.setSoTimeout((int) Duration.ofSeconds(20).toMillis());
      int read = 0;
      byte[] some = new byte[64 << 10];
      while (read < RECORD_BYTES) {
        int count = last.getInputStream().read(some);
        assertThat(count).isPositive();
        read += count;
      }
    }
  }

  private static Socket subscribe(String name) throws IOException {
    String arn =
        client
            .registerStreamConsumer(
                request ->
                    request
                        .streamARN("arn:aws:kinesis:us-east-1:000000000000:stream/" + stream)
                        .consumerName(name))
            .consumer()
            .consumerARN();
    Socket socket =
        ask(
            "SubscribeToShard",
            "{\"ConsumerARN\":\"%s\",\"ShardId\":\"%s\",\"StartingPosition\":{\"Type\":\"TRIM_HORIZON\"}}"
                .formatted(arn, FIRST));
    assertThat(socket.getInputStream().read()).isEqualTo('H');
    return socket;
  }

  /** Sends a request and reads nothing. */
  private static Socket ask(String action, String body) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4 << 10);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), endpoint.port()));
    String request =
        """
        POST / HTTP/1.1\r
        Host: localhost\r
        Content-Type: application/x-amz-json-1.1\r
        X-Amz-Target: Kinesis_20131202.%s\r
        X-Amz-Date: 20260101T000000Z\r
        Authorization: AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/kinesis/aws4_request, SignedHeaders=host;x-amz-date, Signature=b\r
        Content-Length: %d\r
        \r
        %s"""
            .formatted(action, body.length(), body);
    socket.getOutputStream().write(request.getBytes(UTF_8));
    return socket;
  }

  private static void closeAll(List<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
