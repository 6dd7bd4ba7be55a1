package dev.sluice.kinesis.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.kinesis.shard.ErrorType;
import dev.sluice.kinesis.shard.KinesisException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.http.Protocol;
import software.amazon.awssdk.http.SdkHttpConfigurationOption;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.kinesis.KinesisAsyncClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.ResourceInUseException;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;
import software.amazon.awssdk.services.kinesis.model.SubscribeToShardEvent;
import software.amazon.awssdk.services.kinesis.model.SubscribeToShardEventStream;
import software.amazon.awssdk.services.kinesis.model.SubscribeToShardResponseHandler;
import software.amazon.awssdk.utils.AttributeMap;

/** AWS's own clients against the server. */
class SdkClientsTest {
  private static final String CONSUMER = FakeOperations.ARN + "/consumer/c:1";

  private static final Duration IDLE = Duration.ofMillis(1_200);

  @TempDir static Path directory;

  private final FakeOperations fake = new FakeOperations();
  private final List<AutoCloseable> open = new ArrayList<>();

  /** How a client speaks. */
  enum Client {
    CBOR,
    JSON,
    CBOR_OVER_TLS
  }

  /** One for all: ending it takes seconds. */
  private static final SdkEventLoopGroup EVENT_LOOPS = SdkEventLoopGroup.builder().build();

  @AfterAll
  static void endEventLoops() {
    var unused = EVENT_LOOPS.eventLoopGroup().shutdownGracefully();
  }

  @BeforeAll
  static void makeCertificate() throws Exception {
    Path store = directory.resolve("store.p12");
    String[] command = {
      Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
      "-genkeypair",
      "-alias",
      "a",
      "-keyalg",
      "EC",
      "-groupname",
      "secp256r1",
      "-dname",
      "CN=localhost",
      "-ext",
      "san=ip:127.0.0.1",
      "-validity",
      "2",
      "-storetype",
      "PKCS12",
      "-keystore",
      store.toString(),
      "-storepass",
      "secret"
    };
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    KeyStore keys = KeyStore.getInstance(store.toFile(), "secret".toCharArray());
    pem("certificate.pem", "CERTIFICATE", keys.getCertificate("a").getEncoded());
    pem("key.pem", "PRIVATE KEY", keys.getKey("a", "secret".toCharArray()).getEncoded());
  }

  private static void pem(String file, String label, byte[] der) throws Exception {
    String body = Base64.getMimeEncoder().encodeToString(der);
    Files.writeString(
        directory.resolve(file),
        "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(label, body));
  }

  @AfterEach
  void close() throws Exception {
    Collections.reverse(open);
    for (AutoCloseable closeable : open) {
      closeable.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsPutIsGot(Client kind) throws Exception {
    KinesisClient client = client(start(settings(kind)), kind);
    byte[] data = {0, 1, -1, 2};

    PutRecordsResponse put =
        client.putRecords(
            request ->
                request
                    .streamARN(FakeOperations.ARN)
                    .records(
                        IntStream.range(0, 500)
                            .mapToObj(
                                i ->
                                    software.amazon.awssdk.services.kinesis.model
                                        .PutRecordsRequestEntry.builder()
                                        .partitionKey("k" + i)
                                        .data(SdkBytes.fromByteArray(data))
                                        .build())
                            .toList()));
    GetRecordsResponse got = client.getRecords(request -> request.shardIterator("i"));

    assertThat(put.failedRecordCount()).isZero();
    assertThat(put.records()).hasSize(500).allMatch(r -> r.sequenceNumber().equals("4"));
    assertThat(got.records()).extracting(Record::partitionKey).startsWith("k0", "k1").hasSize(500);
    assertThat(got.records()).allMatch(r -> r.data().equals(SdkBytes.fromByteArray(data)));
    assertThat(got.records().get(0).approximateArrivalTimestamp())
        .isEqualTo(Instant.ofEpochMilli(FakeOperations.ARRIVAL));
    assertThat(got.nextShardIterator()).isEqualTo("next");
  }

  @ParameterizedTest
  @EnumSource
  void aRefusalIsTheSdksException(Client kind) throws Exception {
    KinesisClient client = client(start(settings(kind)), kind);

    assertThatThrownBy(() -> client.deleteStream(request -> request.streamName("gone")))
        .isInstanceOfSatisfying(
            ResourceNotFoundException.class,
            e -> {
              assertThat(e.awsErrorDetails().errorMessage())
                  .isEqualTo("Stream gone under account 0 not found.");
              assertThat(e.requestId()).hasSize(36);
            });
    assertThatThrownBy(() -> client.createStream(request -> request.streamName("")))
        .isInstanceOfSatisfying(
            software.amazon.awssdk.services.kinesis.model.ValidationException.class,
            e ->
                assertThat(e.awsErrorDetails().errorMessage())
                    .startsWith("2 validation errors detected: "));
    client.createStream(request -> request.streamName("a").shardCount(1));
  }

  @ParameterizedTest
  @EnumSource
  void anAsynchronousClientSpeaksHttp2(Client kind) throws Exception {
    KinesisServer server = start(settings(kind));
    KinesisAsyncClient client = asyncClient(server, kind);

    List<CompletableFuture<?>> puts = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      puts.add(
          client.putRecord(
              request ->
                  request
                      .streamName("a")
                      .partitionKey("k")
                      .data(SdkBytes.fromByteArray(new byte[10_000]))));
    }

    CompletableFuture.allOf(puts.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
    assertThat(fake.records).hasSize(60);
  }

  @ParameterizedTest
  @EnumSource
  void eventsArriveInOrderToTheEnd(Client kind) throws Exception {
    KinesisAsyncClient client = asyncClient(start(settings(kind)), kind);
    IntStream.range(0, 40)
        .forEach(i -> fake.events.add(FakeOperations.answer(FakeOperations.event("" + i))));
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    CompletableFuture<String> responded = new CompletableFuture<>();

    subscribe(client, "shardId-0", heard, responded).get(30, TimeUnit.SECONDS);

    assertThat(responded).isCompletedWithValueMatching(requestId -> requestId.length() == 36);
    assertThat(heard)
        .containsExactlyElementsOf(IntStream.range(0, 40).mapToObj(String::valueOf).toList());
    await().until(() -> fake.closed.get() == 1);
  }

  @Test
  void eventsKeepASubscriptionAliveBeyondTheIdleTime() throws Exception {
    HttpSettings settings =
        new HttpSettings(
            "127.0.0.1", 0, null, Map.of(), 9, 9, 9, 1 << 20, IDLE, Duration.ofSeconds(60));
    KinesisAsyncClient client = asyncClient(start(settings), Client.CBOR);
    AtomicInteger count = new AtomicInteger();
    fake.more =
        () ->
            count.incrementAndGet() > 6
                ? FakeOperations.answer(null)
                : CompletableFuture.supplyAsync(
                    () -> FakeOperations.event("1"),
                    CompletableFuture.delayedExecutor(IDLE.toMillis() / 4, TimeUnit.MILLISECONDS));
    List<String> heard = Collections.synchronizedList(new ArrayList<>());

    subscribe(client, "shardId-0", heard, new CompletableFuture<>()).get(30, TimeUnit.SECONDS);

    assertThat(heard).hasSize(6);
  }

  @Test
  void anEventThatFailsEndsTheStreamAsTheSdksException() throws Exception {
    KinesisAsyncClient client = asyncClient(start(settings(Client.CBOR)), Client.CBOR);
    fake.events.add(FakeOperations.answer(FakeOperations.event("1")));
    fake.events.add(
        CompletableFuture.failedFuture(
            new KinesisException(ErrorType.RESOURCE_NOT_FOUND, "It went.")));
    List<String> heard = Collections.synchronizedList(new ArrayList<>());

    CompletableFuture<Void> subscription =
        subscribe(client, "shardId-0", heard, new CompletableFuture<>());

    assertThatThrownBy(() -> subscription.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(ResourceNotFoundException.class);
    assertThat(heard).containsExactly("1");
  }

  @Test
  void aSubscriptionIsRefusedBeforeItBegins() throws Exception {
    KinesisAsyncClient client = asyncClient(start(settings(Client.CBOR)), Client.CBOR);

    assertThatThrownBy(
            () -> subscribe(client, "busy", new ArrayList<>(), new CompletableFuture<>()).join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(ResourceInUseException.class);
  }

  @Test
  void aSubscriptionEndsWhenItsClientHasHadEnough() throws Exception {
    KinesisAsyncClient client = asyncClient(start(settings(Client.CBOR)), Client.CBOR);
    fake.events.add(FakeOperations.answer(FakeOperations.event("1")));
    fake.events.add(new CompletableFuture<>());

    CompletableFuture<Void> subscription =
        subscribe(
            client,
            "shardId-0",
            SubscribeToShardResponseHandler.builder().subscriber(() -> new OneEvent()).build());

    await().until(() -> fake.closed.get() == 1);
    subscription.cancel(true);
  }

  @Test
  void aSubscriptionEndsWithTheServer() throws Exception {
    KinesisServer server = start(settings(Client.CBOR));
    KinesisAsyncClient client = asyncClient(server, Client.CBOR);
    fake.events.add(FakeOperations.answer(FakeOperations.event("1")));
    fake.events.add(new CompletableFuture<>());
    List<String> heard = Collections.synchronizedList(new ArrayList<>());

    CompletableFuture<Void> subscription =
        subscribe(client, "shardId-0", heard, new CompletableFuture<>());
    await().until(() -> heard.size() == 1);
    server.close();

    assertThat(fake.closed).hasValue(1);
    await().until(subscription::isDone);
  }

  @Test
  void httpIsNegotiatedInEitherVersion() throws Exception {
    KinesisServer server = start(settings(Client.CBOR_OVER_TLS));
    KeyStore trusted =
        KeyStore.getInstance(directory.resolve("store.p12").toFile(), "secret".toCharArray());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);

    for (String version : List.of("h2", "http/1.1")) {
      try (SSLSocket socket =
          (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", server.port())) {
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {version});
        socket.setSSLParameters(parameters);
        socket.startHandshake();

        assertThat(socket.getApplicationProtocol()).isEqualTo(version);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void whoHasAKeyIsServedAndKnown(Client kind) throws Exception {
    KinesisServer server =
        start(settings(kind).withKeys("127.0.0.1", Map.of("access", "secret", "other", "x")));

    client(server, kind)
        .putRecord(r -> r.streamName("a").partitionKey("k").data(SdkBytes.fromUtf8String("d")));
    asyncClient(server, kind)
        .putRecord(r -> r.streamName("a").partitionKey("k").data(SdkBytes.fromUtf8String("d")))
        .get(30, TimeUnit.SECONDS);

    assertThat(fake.callers).hasSize(2).allMatch(caller -> "access".equals(caller.accessKey()));
  }

  @Test
  void whoHasAnotherSecretIsRefused() throws Exception {
    KinesisServer server =
        start(settings(Client.JSON).withKeys("127.0.0.1", Map.of("access", "changed")));
    KinesisClient client = client(server, Client.JSON);

    assertThatThrownBy(() -> client.listStreams())
        .hasMessageContaining("The request signature we calculated does not match");
  }

  private static CompletableFuture<Void> subscribe(
      KinesisAsyncClient client,
      String shard,
      List<String> heard,
      CompletableFuture<String> responded) {
    return subscribe(
        client,
        shard,
        SubscribeToShardResponseHandler.builder()
            .onResponse(response -> responded.complete(response.responseMetadata().requestId()))
            .subscriber(
                event -> heard.add(((SubscribeToShardEvent) event).continuationSequenceNumber()))
            .build());
  }

  private static CompletableFuture<Void> subscribe(
      KinesisAsyncClient client, String shard, SubscribeToShardResponseHandler handler) {
    return client.subscribeToShard(
        request ->
            request
                .consumerARN(CONSUMER)
                .shardId(shard)
                .startingPosition(position -> position.type(ShardIteratorType.LATEST)),
        handler);
  }

  private static HttpSettings settings(Client kind) {
    HttpSettings settings = HttpSettings.local(0);
    return kind == Client.CBOR_OVER_TLS
        ? settings.withTls(
            new HttpSettings.Tls(
                directory.resolve("certificate.pem"), directory.resolve("key.pem")))
        : settings;
  }

  private KinesisServer start(HttpSettings settings) throws Exception {
    KinesisServer server =
        new KinesisServer(
            settings,
            fake.operations(),
            Clock.systemUTC(),
            FakeOperations.MEMORY,
            FakeOperations.METERS);
    open.add(server);
    server.start();
    return server;
  }

  private KinesisClient client(KinesisServer server, Client kind) {
    System.setProperty(
        SdkSystemSetting.CBOR_ENABLED.property(), String.valueOf(kind != Client.JSON));
    KinesisClient client =
        KinesisClient.builder()
            .endpointOverride(endpoint(server, kind))
            .region(Region.US_EAST_1)
            .credentialsProvider(credentials())
            .overrideConfiguration(o -> o.retryStrategy(RetryMode.STANDARD))
            .httpClient(
                software.amazon.awssdk.http.apache5.Apache5HttpClient.builder()
                    .buildWithDefaults(trustAll()))
            .build();
    open.add(client);
    return client;
  }

  private KinesisAsyncClient asyncClient(KinesisServer server, Client kind) {
    System.setProperty(
        SdkSystemSetting.CBOR_ENABLED.property(), String.valueOf(kind != Client.JSON));
    KinesisAsyncClient client =
        KinesisAsyncClient.builder()
            .endpointOverride(endpoint(server, kind))
            .region(Region.US_EAST_1)
            .credentialsProvider(credentials())
            .httpClient(
                NettyNioAsyncHttpClient.builder()
                    .protocol(Protocol.HTTP2)
                    .eventLoopGroup(EVENT_LOOPS)
                    .buildWithDefaults(trustAll()))
            .build();
    open.add(client);
    return client;
  }

  private static AttributeMap trustAll() {
    return AttributeMap.builder()
        .put(SdkHttpConfigurationOption.TRUST_ALL_CERTIFICATES, true)
        .build();
  }

  private static StaticCredentialsProvider credentials() {
    return StaticCredentialsProvider.create(AwsBasicCredentials.create("access", "secret"));
  }

  private static URI endpoint(KinesisServer server, Client kind) {
    return URI.create(
        (kind == Client.CBOR_OVER_TLS ? "https" : "http") + "://127.0.0.1:" + server.port());
  }

  /** Takes one event and no more. */
  private static final class OneEvent implements Subscriber<SubscribeToShardEventStream> {
    private Subscription subscription;

    @Override
    public void onSubscribe(Subscription subscription) {
      this.subscription = subscription;
      subscription.request(1);
    }

    @Override
    public void onNext(SubscribeToShardEventStream event) {
      subscription.cancel();
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {}
  }
}
