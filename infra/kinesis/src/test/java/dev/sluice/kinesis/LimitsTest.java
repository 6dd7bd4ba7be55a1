package dev.sluice.kinesis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResultEntry;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

class LimitsTest {
  private static final String FIRST = "shardId-000000000000";
  private static final String SECOND = "shardId-000000000001";
  private static final String LAST_KEY = "340282366920938463463374607431768211455";

  private static Endpoints endpoints;
  private static KinesisClient client;

  @BeforeAll
  static void start() throws IOException {
    endpoints = new Endpoints();
    client = endpoints.impatientClient(endpoints.startThrottled(Clock.systemUTC()));
  }

  @AfterAll
  static void stop() throws Exception {
    endpoints.close();
  }

  @Test
  void one_shard_is_throttled_and_the_other_is_not() {
    String stream = endpoints.create(client, 2);
    String large = "x".repeat(1_000_000);
    PutRecordsResponse put =
        client.putRecords(
            request ->
                request
                    .streamName(stream)
                    .records(entry("0", large), entry("0", large), entry(LAST_KEY, "small")));
    assertThat(put.failedRecordCount()).isEqualTo(1);
    assertThat(put.records())
        .extracting(PutRecordsResultEntry::shardId)
        .containsExactly(FIRST, null, SECOND);
    assertThat(put.records().get(1).errorCode())
        .isEqualTo("ProvisionedThroughputExceededException");
    assertThat(put.records().get(1).errorMessage())
        .isEqualTo(
            "Rate exceeded for shard %s in stream %s under account 000000000000."
                .formatted(FIRST, stream));
    assertThat(Endpoints.all(client, stream, FIRST)).hasSize(1);
    assertThat(Endpoints.all(client, stream, SECOND)).hasSize(1);
  }

  @Test
  void a_shard_is_read_five_times_a_second() {
    String stream = endpoints.create(client, 1);
    String iterator = Endpoints.iterator(client, stream, FIRST, ShardIteratorType.TRIM_HORIZON);
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 1_000; i++) {
                Endpoints.get(client, iterator);
              }
            })
        .isInstanceOf(ProvisionedThroughputExceededException.class)
        .hasMessageContaining("Rate exceeded for shard " + FIRST);
  }

  @Test
  void calls_are_counted_by_operation_stream_and_result() {
    String stream = endpoints.create(client, 1);
    Endpoints.put(client, stream, "key", "12345");
    Endpoints.all(client, stream, FIRST);
    assertThatThrownBy(() -> Endpoints.put(client, "made-up", "key", "data"))
        .isInstanceOf(ResourceNotFoundException.class);
    assertThat(calls("PutRecord", stream, "OK")).isEqualTo(1);
    assertThat(calls("GetShardIterator", stream, "OK")).isEqualTo(1);
    assertThat(calls("PutRecord", "none", "ResourceNotFoundException")).isEqualTo(1);
    assertThat(endpoints.meters().find("sluice.kinesis.calls").tag("stream", "made-up").timers())
        .isEmpty();
    for (String direction : List.of("in", "out")) {
      assertThat(moved("records", stream, direction)).isEqualTo(1);
      assertThat(moved("data", stream, direction)).isEqualTo(5);
    }
  }

  private static long calls(String operation, String stream, String result) {
    Timer timer =
        endpoints
            .meters()
            .get("sluice.kinesis.calls")
            .tags("operation", operation, "stream", stream, "result", result)
            .timer();
    return timer.count();
  }

  private static double moved(String what, String stream, String direction) {
    return endpoints
        .meters()
        .get("sluice.kinesis." + what)
        .tags("stream", stream, "direction", direction)
        .counter()
        .count();
  }

  private static PutRecordsRequestEntry entry(String hashKey, String data) {
    return Endpoints.entry("key", data).toBuilder().explicitHashKey(hashKey).build();
  }
}
