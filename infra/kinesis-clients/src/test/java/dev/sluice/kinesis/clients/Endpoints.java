package dev.sluice.kinesis.clients;

import static org.awaitility.Awaitility.await;

import dev.sluice.broker.BrokerConfig;
import dev.sluice.broker.EmbeddedBroker;
import dev.sluice.contract.Topics;
import dev.sluice.identity.Sessions;
import dev.sluice.kinesis.KinesisEndpoint;
import dev.sluice.kinesis.KinesisSettings;
import dev.sluice.kinesis.http.HttpSettings;
import dev.sluice.kinesis.shard.Account;
import dev.sluice.runtime.TopicsStep;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.GetShardIteratorRequest;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;
import software.amazon.awssdk.services.kinesis.model.StreamStatus;

/** One broker and one endpoint for all tests of this JVM; each takes streams of its own. */
final class Endpoints {
  static final StaticCredentialsProvider CREDENTIALS =
      StaticCredentialsProvider.create(
          AwsBasicCredentials.create(
              "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"));
  static final Region REGION = Region.US_EAST_1;

  /** Sluice's own, which are streams too. */
  static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX, 4);

  /** Who may put into these. */
  static final Sessions SESSIONS = new Sessions("a secret of these tests");

  private Endpoints() {}

  /** One more, on the same streams; whoever starts it closes it. */
  static KinesisEndpoint start(HttpSettings http) throws IOException {
    KinesisEndpoint endpoint =
        new KinesisEndpoint(
            new KinesisSettings(
                http,
                Account.DEFAULT,
                kafka(),
                TOPICS.prefix(),
                (short) 1,
                new byte[KinesisSettings.MIN_SECRET_BYTES],
                SESSIONS,
                List.of(),
                /* throttle= */ false),
            Clock.systemUTC(),
            new SimpleMeterRegistry());
    endpoint.start();
    return endpoint;
  }

  /** Settings of clients of the broker. */
  static Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", Shared.BROKER.bootstrapServers());
  }

  /** Where the endpoint in clear text is. */
  static int port() {
    return Shared.ENDPOINT.port();
  }

  static URI uri(int port) {
    return URI.create("http://127.0.0.1:" + port);
  }

  static KinesisClient client() {
    return KinesisClient.builder()
        .endpointOverride(uri(port()))
        .region(REGION)
        .credentialsProvider(CREDENTIALS)
        .build();
  }

  /** Returns once the stream is ACTIVE. */
  static void create(KinesisClient client, String stream, int shards) {
    client.createStream(request -> request.streamName(stream).shardCount(shards));
    awaitActive(client, stream);
  }

  static void awaitActive(KinesisClient client, String stream) {
    await()
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(20))
        .until(
            () ->
                client
                        .describeStreamSummary(request -> request.streamName(stream))
                        .streamDescriptionSummary()
                        .streamStatus()
                    == StreamStatus.ACTIVE);
  }

  static List<PutRecordsRequestEntry> entries(List<Numbered> records) {
    return records.stream()
        .map(
            record ->
                PutRecordsRequestEntry.builder()
                    .partitionKey(record.key())
                    .data(SdkBytes.fromUtf8String(record.data()))
                    .build())
        .toList();
  }

  /** From each shard's start to its end. */
  static List<Record> readAll(KinesisClient client, String stream) {
    List<Record> read = new ArrayList<>();
    for (String shard : shards(client, stream)) {
      String iterator = client.getShardIterator(fromTheStart(stream, shard)).shardIterator();
      GetRecordsResponse got;
      do {
        String next = iterator;
        got = client.getRecords(request -> request.shardIterator(next));
        read.addAll(got.records());
        iterator = got.nextShardIterator();
      } while (got.millisBehindLatest() > 0);
    }
    return read;
  }

  static List<String> shards(KinesisClient client, String stream) {
    return client.listShards(request -> request.streamName(stream)).shards().stream()
        .map(shard -> shard.shardId())
        .toList();
  }

  static GetShardIteratorRequest fromTheStart(String stream, String shard) {
    return GetShardIteratorRequest.builder()
        .streamName(stream)
        .shardId(shard)
        .shardIteratorType(ShardIteratorType.TRIM_HORIZON)
        .build();
  }

  /** Started when they are first needed, which they never are in the JVMs of clients. */
  private static final class Shared {
    static final EmbeddedBroker BROKER;
    static final KinesisEndpoint ENDPOINT;

    static {
      try {
        Path directory = Files.createTempDirectory("sluice-kinesis-clients");
        BROKER = EmbeddedBroker.start(BrokerConfig.local(directory));
        new TopicsStep(Map.of("bootstrap.servers", BROKER.bootstrapServers()), TOPICS, (short) 1)
            .run();
        ENDPOINT = Endpoints.start(HttpSettings.local(0));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(directory)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void stop(Path directory) {
      ENDPOINT.close();
      BROKER.close();
      try (Stream<Path> files = Files.walk(directory)) {
        files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
