package dev.sluice.kinesis;

import static org.awaitility.Awaitility.await;

import dev.sluice.identity.Sessions;
import dev.sluice.kinesis.http.HttpSettings;
import dev.sluice.kinesis.shard.Account;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.http.Protocol;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.kinesis.KinesisAsyncClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;
import software.amazon.awssdk.services.kinesis.model.StreamStatus;

/** Endpoints on the same topics, and clients of theirs. */
final class Endpoints implements AutoCloseable {
  private static final String SIGNED =
      "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/kinesis/aws4_request,"
          + " SignedHeaders=host;x-amz-date, Signature=b";
  private static final byte[] SECRET = new byte[KinesisSettings.MIN_SECRET_BYTES];

  private final String prefix = TestBroker.prefix();
  private final List<AutoCloseable> open = Collections.synchronizedList(new ArrayList<>());
  private final MeterRegistry meters = new SimpleMeterRegistry();
  private final AtomicInteger names = new AtomicInteger();
  private final HttpClient http = HttpClient.newHttpClient();

  /** Of all that are started here. */
  MeterRegistry meters() {
    return meters;
  }

  KinesisEndpoint start(Clock clock) throws IOException {
    return start(HttpSettings.local(0), clock, /* sessions= */ null, false);
  }

  /** One that limits shards as AWS does. */
  KinesisEndpoint startThrottled(Clock clock) throws IOException {
    return start(HttpSettings.local(0), clock, /* sessions= */ null, true);
  }

  /** One that holds so many bytes of bodies, and of answers, on their way. */
  KinesisEndpoint startWithMemory(Clock clock, long bytes) throws IOException {
    HttpSettings local = HttpSettings.local(0);
    HttpSettings http =
        new HttpSettings(
            local.host(),
            local.port(),
            local.tls(),
            local.keys(),
            local.concurrentRequests(),
            local.subscriptions(),
            local.connections(),
            bytes,
            local.idle(),
            local.body());
    return start(http, clock, /* sessions= */ null, false);
  }

  /** One that offers Sluice's own streams too. */
  KinesisEndpoint start(Clock clock, Sessions sessions) throws IOException {
    return start(HttpSettings.local(0), clock, sessions, false);
  }

  private KinesisEndpoint start(HttpSettings http, Clock clock, Sessions sessions, boolean throttle)
      throws IOException {
    KinesisEndpoint endpoint =
        new KinesisEndpoint(
            new KinesisSettings(
                http,
                Account.DEFAULT,
                TestBroker.clients(),
                prefix,
                (short) 1,
                SECRET,
                sessions,
                List.of(),
                throttle),
            clock,
            meters);
    open.add(endpoint);
    endpoint.start();
    return endpoint;
  }

  /** Of their topics. */
  String prefix() {
    return prefix;
  }

  KinesisClient client(KinesisEndpoint endpoint, boolean cbor) {
    System.setProperty(SdkSystemSetting.CBOR_ENABLED.property(), String.valueOf(cbor));
    KinesisClient client =
        KinesisClient.builder()
            .endpointOverride(uri(endpoint))
            .region(Region.US_EAST_1)
            .credentialsProvider(credentials())
            .build();
    open.add(client);
    return client;
  }

  /** Tries nothing twice. */
  KinesisClient impatientClient(KinesisEndpoint endpoint) {
    KinesisClient client =
        KinesisClient.builder()
            .endpointOverride(uri(endpoint))
            .region(Region.US_EAST_1)
            .credentialsProvider(credentials())
            .overrideConfiguration(
                settings -> settings.retryStrategy(AwsRetryStrategy.doNotRetry()))
            .build();
    open.add(client);
    return client;
  }

  /** Speaks HTTP/2 by prior knowledge. */
  KinesisAsyncClient asyncClient(KinesisEndpoint endpoint) {
    System.setProperty(SdkSystemSetting.CBOR_ENABLED.property(), "true");
    KinesisAsyncClient client =
        KinesisAsyncClient.builder()
            .endpointOverride(uri(endpoint))
            .region(Region.US_EAST_1)
            .credentialsProvider(credentials())
            .httpClientBuilder(NettyNioAsyncHttpClient.builder().protocol(Protocol.HTTP2))
            .build();
    open.add(client);
    return client;
  }

  private static URI uri(KinesisEndpoint endpoint) {
    return URI.create("http://127.0.0.1:" + endpoint.port());
  }

  private static StaticCredentialsProvider credentials() {
    return StaticCredentialsProvider.create(AwsBasicCredentials.create("access", "secret"));
  }

  /** Sends a body of JSON as it is. */
  HttpResponse<String> send(KinesisEndpoint endpoint, String action, String body)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(uri(endpoint))
            .header("Content-Type", "application/x-amz-json-1.1")
            .header("X-Amz-Target", "Kinesis_20131202." + action)
            .header("X-Amz-Date", "20260101T000000Z")
            .header("Authorization", SIGNED)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  /** A stream that no other test has, once it is ACTIVE. */
  String create(KinesisClient client, int shards) {
    String name = "stream-%03d".formatted(names.incrementAndGet());
    client.createStream(request -> request.streamName(name).shardCount(shards));
    awaitActive(client, name);
    return name;
  }

  /** Makes Kafka take less than the stream does. */
  void setMaxMessageBytes(String stream, int bytes) throws Exception {
    ConfigResource topic =
        new ConfigResource(ConfigResource.Type.TOPIC, prefix + "kinesis." + stream);
    ConfigEntry entry =
        new ConfigEntry(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(bytes));
    try (Admin admin = Admin.create(TestBroker.clients())) {
      admin
          .incrementalAlterConfigs(
              Map.of(topic, List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET))))
          .all()
          .get();
    }
  }

  static void awaitActive(KinesisClient client, String stream) {
    await()
        .pollInterval(Duration.ofMillis(20))
        .until(
            () ->
                client
                        .describeStreamSummary(request -> request.streamName(stream))
                        .streamDescriptionSummary()
                        .streamStatus()
                    == StreamStatus.ACTIVE);
  }

  static List<Shard> shards(KinesisClient client, String stream) {
    return client.listShards(request -> request.streamName(stream)).shards();
  }

  static PutRecordsRequestEntry entry(String key, String data) {
    return PutRecordsRequestEntry.builder()
        .partitionKey(key)
        .data(SdkBytes.fromUtf8String(data))
        .build();
  }

  static void put(KinesisClient client, String stream, String key, String data) {
    client.putRecord(
        request ->
            request.streamName(stream).partitionKey(key).data(SdkBytes.fromUtf8String(data)));
  }

  static String iterator(
      KinesisClient client, String stream, String shard, ShardIteratorType type) {
    return client
        .getShardIterator(
            request -> request.streamName(stream).shardId(shard).shardIteratorType(type))
        .shardIterator();
  }

  static GetRecordsResponse get(KinesisClient client, String iterator) {
    return client.getRecords(request -> request.shardIterator(iterator));
  }

  /** All records of a shard up to now. */
  static List<Record> all(KinesisClient client, String stream, String shard) {
    List<Record> all = new ArrayList<>();
    String iterator = iterator(client, stream, shard, ShardIteratorType.TRIM_HORIZON);
    while (iterator != null) {
      GetRecordsResponse got = get(client, iterator);
      all.addAll(got.records());
      boolean done = got.records().isEmpty() && got.millisBehindLatest() == 0;
      iterator = done ? null : got.nextShardIterator();
    }
    return all;
  }

  static List<String> texts(List<Record> records) {
    return records.stream().map(record -> record.data().asUtf8String()).toList();
  }

  @Override
  public void close() throws Exception {
    Collections.reverse(open);
    for (AutoCloseable each : open) {
      each.close();
    }
  }
}
