package dev.sluice.kinesis.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.kinesis.shard.StreamState.Mode;
import dev.sluice.kinesis.shard.StreamState.Status;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class StreamChangeTest {
  private static final Account ACCOUNT = Account.DEFAULT;
  private static final StreamState CREATING =
      StreamChange.create(
          ACCOUNT,
          null,
          List.of(),
          "s",
          Mode.PROVISIONED,
          1,
          1_024,
          Map.of("a", "1"),
          1_800_000_000_000L);
  private static final StreamState ACTIVE = StreamChange.finished(CREATING);

  @Test
  void aStreamIsCreatedOnce() {
    assertThat(CREATING.status()).isEqualTo(Status.CREATING);
    assertThat(ACTIVE.status()).isEqualTo(Status.ACTIVE);
    assertRefused(
        () ->
            StreamChange.create(
                ACCOUNT, ACTIVE, List.of(), "s", Mode.PROVISIONED, 1, 1_024, Map.of(), 1),
        ErrorType.RESOURCE_IN_USE,
        "Stream s under account 000000000000 already exists.");
    assertThat(
            StreamChange.create(
                    ACCOUNT, null, List.of(), "s", Mode.ON_DEMAND, 0, 1_024, Map.of(), 1)
                .open())
        .hasSize(4);
  }

  @Test
  void namesThatAreOneToKafkaAreRefused() {
    List<StreamState> all =
        List.of(ACTIVE, created("co.l_3"), StreamChange.ofOthers(null, "o_o", "t", 1, 24, 1));

    assertRefused(
        () ->
            StreamChange.create(
                ACCOUNT, null, all, "co_l.3", Mode.PROVISIONED, 1, 1_024, Map.of(), 1),
        ErrorType.INVALID_ARGUMENT,
        "Stream co_l.3 can't be beside stream co.l_3 under account 000000000000: names that differ only in '.' and '_' are the same to Kafka.");
    for (String name : List.of("o.o", "co-l-3", "S", "t")) {
      assertThat(
              StreamChange.create(
                  ACCOUNT, null, all, name, Mode.PROVISIONED, 1, 1_024, Map.of(), 1))
          .isNotNull();
    }
  }

  private static StreamState created(String name) {
    return StreamChange.create(
        ACCOUNT, null, List.of(), name, Mode.PROVISIONED, 1, 1_024, Map.of(), 1);
  }

  @Test
  void retentionIsChangedInItsDirectionAndBounds() {
    StreamState longer = StreamChange.increaseRetention(ACCOUNT, ACTIVE, 48);

    assertThat(longer.retentionHours()).isEqualTo(48);
    assertThat(longer.status()).isEqualTo(Status.UPDATING);
    assertThat(StreamChange.increaseRetention(ACCOUNT, ACTIVE, 24)).isSameAs(ACTIVE);
    assertRefused(
        () -> StreamChange.increaseRetention(ACCOUNT, ACTIVE, 8_761),
        ErrorType.INVALID_ARGUMENT,
        "Maximum allowed retention period is 8760 hours. Requested retention period (8761 hours) is too long.");
    assertRefused(
        () -> StreamChange.decreaseRetention(ACCOUNT, ACTIVE, 23),
        ErrorType.INVALID_ARGUMENT,
        "Minimum allowed retention period is 24 hours. Requested retention period (23 hours) is too short.");
    assertRefused(
        () -> StreamChange.decreaseRetention(ACCOUNT, ACTIVE, 25),
        ErrorType.INVALID_ARGUMENT,
        "Requested retention period (25 hours) for stream s can not be longer than existing retention period (24 hours). Use IncreaseRetentionPeriod API.");
    assertRefused(
        () -> StreamChange.increaseRetention(ACCOUNT, longer, 72),
        ErrorType.RESOURCE_IN_USE,
        "Stream s under account 000000000000 not ACTIVE, instead in state UPDATING");
  }

  @Test
  void tagsAreAddedAndRemovedUpToFifty() {
    Map<String, String> many = new HashMap<>();
    for (int i = 0; i < 49; i++) {
      many.put("t" + i, "v");
    }
    StreamState full = StreamChange.addTags(ACCOUNT, ACTIVE, many);

    assertThat(full.tags()).hasSize(50);
    assertThat(StreamChange.addTags(ACCOUNT, full, Map.of("a", "2")).tags())
        .containsEntry("a", "2");
    assertRefused(
        () -> StreamChange.addTags(ACCOUNT, full, Map.of("b", "2")),
        ErrorType.INVALID_ARGUMENT,
        "Failed to add tags to stream s under account 000000000000 because a given stream cannot have more than 50 tags associated with it.");
    assertThat(StreamChange.removeTags(ACCOUNT, full, List.of("a", "none")).tags()).hasSize(49);
  }

  @Test
  void consumersAreRegisteredOnceUpToTwentyAndHoldTheStream() {
    StreamState full = ACTIVE;
    for (int i = 0; i < 20; i++) {
      full = StreamChange.registerConsumer(ACCOUNT, full, "c" + i, 1_800_000_001_000L);
    }
    StreamState stream = full;

    assertThat(ACCOUNT.consumerArn("s", stream.consumers().get(0)))
        .isEqualTo("arn:aws:kinesis:us-east-1:000000000000:stream/s/consumer/c0:1800000001");
    assertThatThrownBy(() -> StreamChange.registerConsumer(ACCOUNT, stream, "c0", 2))
        .isInstanceOfSatisfying(
            KinesisException.class, e -> assertThat(e.type()).isEqualTo(ErrorType.RESOURCE_IN_USE));
    assertThatThrownBy(() -> StreamChange.registerConsumer(ACCOUNT, stream, "more", 2))
        .isInstanceOfSatisfying(
            KinesisException.class, e -> assertThat(e.type()).isEqualTo(ErrorType.LIMIT_EXCEEDED));
    assertRefused(
        () -> StreamChange.deregisterConsumer(ACCOUNT, stream, "none"),
        ErrorType.RESOURCE_NOT_FOUND,
        "Consumer none, account 000000000000 not found.");
    assertThat(StreamChange.deregisterConsumer(ACCOUNT, stream, "c0").consumers()).hasSize(19);
    assertRefused(
        () -> StreamChange.delete(ACCOUNT, stream, false),
        ErrorType.RESOURCE_IN_USE,
        "DeleteStream can't delete arn:aws:kinesis:us-east-1:000000000000:stream/s because there are consumers associated with this data stream. To delete s anyway, set the EnforceConsumerDeletion parameter to true to force the deletion of all the consumers that are associated with it.");
    assertThat(StreamChange.delete(ACCOUNT, stream, true).status()).isEqualTo(Status.DELETING);
  }

  @Test
  void monitoringKnowsAllMetrics() {
    StreamState all = StreamChange.enableMonitoring(ACCOUNT, ACTIVE, List.of("ALL"));

    assertThat(all.metrics()).hasSize(7).isSorted();
    assertThat(StreamChange.disableMonitoring(ACCOUNT, all, List.of("IncomingBytes")).metrics())
        .hasSize(6);
    assertThat(StreamChange.disableMonitoring(ACCOUNT, all, List.of("ALL")).metrics()).isEmpty();
  }

  private static void assertRefused(ThrowingCallable call, ErrorType type, String words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(KinesisException.class, e -> assertThat(e.type()).isEqualTo(type))
        .hasMessage(words);
  }
}
