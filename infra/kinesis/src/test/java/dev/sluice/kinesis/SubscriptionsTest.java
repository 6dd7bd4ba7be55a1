package dev.sluice.kinesis;

import static dev.sluice.kinesis.Endpoints.awaitActive;
import static dev.sluice.kinesis.Endpoints.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.services.kinesis.KinesisAsyncClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ConsumerStatus;
import software.amazon.awssdk.services.kinesis.model.ListStreamConsumersResponse;
import software.amazon.awssdk.services.kinesis.model.ResourceInUseException;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;
import software.amazon.awssdk.services.kinesis.model.SubscribeToShardEvent;
import software.amazon.awssdk.services.kinesis.model.SubscribeToShardResponseHandler;

/** Consumers that have records pushed, by AWS's own clients. */
@Timeout(90)
class SubscriptionsTest {
  private static final String FIRST = "shardId-000000000000";
  private static final Endpoints ENDPOINTS = new Endpoints();
  private static final MovingClock CLOCK = new MovingClock();
  private static KinesisClient client;
  private static KinesisAsyncClient async;

  @BeforeAll
  static void start() throws Exception {
    KinesisEndpoint endpoint = ENDPOINTS.start(CLOCK);
    client = ENDPOINTS.client(endpoint, /* cbor= */ true);
    async = ENDPOINTS.asyncClient(endpoint);
  }

  @AfterAll
  static void stop() throws Exception {
    ENDPOINTS.close();
  }

  private static String arn(String stream) {
    return client
        .describeStreamSummary(r -> r.streamName(stream))
        .streamDescriptionSummary()
        .streamARN();
  }

  private static String register(String stream, String name) {
    return client
        .registerStreamConsumer(r -> r.streamARN(arn(stream)).consumerName(name))
        .consumer()
        .consumerARN();
  }

  private static CompletableFuture<Void> subscribe(
      String consumer, ShardIteratorType type, List<SubscribeToShardEvent> heard) {
    return async.subscribeToShard(
        r -> r.consumerARN(consumer).shardId(FIRST).startingPosition(p -> p.type(type)),
        SubscribeToShardResponseHandler.builder()
            .subscriber(event -> heard.add((SubscribeToShardEvent) event))
            .build());
  }

  private static List<SubscribeToShardEvent> events() {
    return Collections.synchronizedList(new ArrayList<>());
  }

  private static List<String> texts(List<SubscribeToShardEvent> events) {
    synchronized (events) {
      return events.stream()
          .flatMap(event -> event.records().stream())
          .map(record -> record.data().asUtf8String())
          .toList();
    }
  }

  @Test
  void recordsArePushedUntilFiveMinutesHavePassed() throws Exception {
    String stream = ENDPOINTS.create(client, 1);
    String consumer = register(stream, "c");
    put(client, stream, "k", "1");
    List<SubscribeToShardEvent> heard = events();

    CompletableFuture<Void> subscription =
        subscribe(consumer, ShardIteratorType.TRIM_HORIZON, heard);
    await().until(() -> texts(heard).equals(List.of("1")));
    put(client, stream, "k", "2");
    await().until(() -> texts(heard).equals(List.of("1", "2")));
    CLOCK.move(Duration.ofMinutes(5));
    subscription.get(30, TimeUnit.SECONDS);

    assertThat(heard).allMatch(event -> event.continuationSequenceNumber() != null);
    put(client, stream, "k", "3");
    String last = heard.get(heard.size() - 1).continuationSequenceNumber();
    List<SubscribeToShardEvent> again = events();
    CompletableFuture<Void> next =
        async.subscribeToShard(
            r ->
                r.consumerARN(consumer)
                    .shardId(FIRST)
                    .startingPosition(
                        p -> p.type(ShardIteratorType.AFTER_SEQUENCE_NUMBER).sequenceNumber(last)),
            SubscribeToShardResponseHandler.builder()
                .subscriber(event -> again.add((SubscribeToShardEvent) event))
                .build());
    await().until(() -> texts(again).equals(List.of("3")));
    CLOCK.move(Duration.ofMinutes(5));
    next.get(30, TimeUnit.SECONDS);
  }

  @Test
  void anIdleShardGivesEventsThatSayWhereToGoOn() throws Exception {
    String stream = ENDPOINTS.create(client, 1);
    List<SubscribeToShardEvent> heard = events();

    CompletableFuture<Void> subscription =
        subscribe(register(stream, "c"), ShardIteratorType.LATEST, heard);
    await().until(() -> heard.size() == 2);

    assertThat(texts(heard)).isEmpty();
    assertThat(heard).allMatch(event -> event.continuationSequenceNumber() != null);
    CLOCK.move(Duration.ofMinutes(5));
    subscription.get(30, TimeUnit.SECONDS);
  }

  @Test
  void theEndOfAShardNamesItsChildren() throws Exception {
    String stream = ENDPOINTS.create(client, 1);
    put(client, stream, "k", "1");
    List<SubscribeToShardEvent> heard = events();
    CompletableFuture<Void> subscription =
        subscribe(register(stream, "c"), ShardIteratorType.TRIM_HORIZON, heard);

    client.splitShard(
        r ->
            r.streamName(stream)
                .shardToSplit(FIRST)
                .newStartingHashKey(BigInteger.ONE.shiftLeft(127).toString()));
    awaitActive(client, stream);
    subscription.get(30, TimeUnit.SECONDS);

    assertThat(texts(heard)).containsExactly("1");
    SubscribeToShardEvent last = heard.get(heard.size() - 1);
    assertThat(last.continuationSequenceNumber()).isNull();
    assertThat(last.childShards()).hasSize(2);
    assertThat(last.childShards()).allMatch(child -> child.parentShards().equals(List.of(FIRST)));
  }

  @Test
  void aSecondSubscriptionIsRefusedAtFirstAndTakesOverLater() throws Exception {
    String stream = ENDPOINTS.create(client, 1);
    String consumer = register(stream, "c");
    List<SubscribeToShardEvent> heard = events();
    CompletableFuture<Void> first = subscribe(consumer, ShardIteratorType.LATEST, heard);
    await().until(() -> !heard.isEmpty());

    assertThatThrownBy(
            () -> subscribe(consumer, ShardIteratorType.LATEST, events()).get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(ResourceInUseException.class)
        .hasMessageContaining("Another active subscription exists for this consumer");
    CLOCK.move(Duration.ofSeconds(5));
    List<SubscribeToShardEvent> taken = events();
    CompletableFuture<Void> second = subscribe(consumer, ShardIteratorType.LATEST, taken);

    assertThatThrownBy(() -> first.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(ResourceInUseException.class);
    put(client, stream, "k", "1");
    await().until(() -> texts(taken).equals(List.of("1")));
    CLOCK.move(Duration.ofMinutes(5));
    second.get(30, TimeUnit.SECONDS);
  }

  @Test
  void consumersAreRegisteredListedAndDeregistered() {
    String stream = ENDPOINTS.create(client, 1);
    String arn = arn(stream);
    String one = register(stream, "one");
    register(stream, "two");

    assertThatThrownBy(() -> register(stream, "one")).isInstanceOf(ResourceInUseException.class);
    assertThat(client.describeStreamConsumer(r -> r.consumerARN(one)).consumerDescription())
        .satisfies(
            consumer -> {
              assertThat(consumer.consumerName()).isEqualTo("one");
              assertThat(consumer.consumerStatus()).isEqualTo(ConsumerStatus.ACTIVE);
              assertThat(consumer.streamARN()).isEqualTo(arn);
            });
    ListStreamConsumersResponse page =
        client.listStreamConsumers(r -> r.streamARN(arn).maxResults(1));
    assertThat(page.consumers()).extracting(c -> c.consumerName()).containsExactly("one");
    ListStreamConsumersResponse rest =
        client.listStreamConsumers(r -> r.streamARN(arn).nextToken(page.nextToken()));
    assertThat(rest.consumers()).extracting(c -> c.consumerName()).containsExactly("two");
    assertThat(rest.nextToken()).isNull();
    client.deregisterStreamConsumer(r -> r.streamARN(arn).consumerName("one"));
    assertThatThrownBy(() -> client.describeStreamConsumer(r -> r.consumerARN(one)))
        .isInstanceOf(ResourceNotFoundException.class);
    assertThatThrownBy(() -> client.deleteStream(r -> r.streamName(stream)))
        .isInstanceOf(ResourceInUseException.class);
  }
}
