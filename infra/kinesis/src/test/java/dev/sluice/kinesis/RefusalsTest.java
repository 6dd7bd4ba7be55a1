package dev.sluice.kinesis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.kinesis.wire.Action;
import java.net.http.HttpResponse;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever is asked, what can't be done is the client's mistake and no fault. */
@Timeout(90)
class RefusalsTest {
  private static final String ARN = "arn:aws:kinesis:us-east-1:000000000000:stream/none";

  /** All that any action needs, of a stream that isn't there. */
  private static final String ALL =
      """
      "StreamName":"none","StreamARN":"%1$s","ResourceARN":"%1$s","ConsumerName":"c",
      "ConsumerARN":"%1$s/consumer/c:1","ShardId":"%2$s","ShardIteratorType":"LATEST",
      "ShardIterator":"AAAA","StartingPosition":{"Type":"LATEST"},"PartitionKey":"k","Data":"AA==",
      "Records":[{"PartitionKey":"k","Data":"AA=="}],"Tags":{"^":"%%"},"TagKeys":["a"],
      "RetentionPeriodHours":48,"EncryptionType":"KMS","KeyId":"k","ShardLevelMetrics":["ALL"],
      "ShardToSplit":"%2$s","NewStartingHashKey":"999999999999999999999999999999999999999",
      "ShardToMerge":"%2$s","AdjacentShardToMerge":"x","ScalingType":"UNIFORM_SCALING",
      "TargetShardCount":2147483647,"ShardCount":2147483647,"MaxRecordSizeInKiB":1024,
      "StreamModeDetails":{"StreamMode":"PROVISIONED"}
      """;

  private static final List<String> BODIES =
      List.of(
          "{}",
          "{" + ALL.formatted(ARN, "shardId-000000000000") + "}",
          "{" + ALL.formatted(ARN, "x") + ",\"NextToken\":\"AAAA\"}",
          "{" + ALL.formatted(ARN.replace("000000000000", "111111111111"), "shardId-9") + "}");

  private static final Endpoints ENDPOINTS = new Endpoints();
  private static KinesisEndpoint endpoint;

  @BeforeAll
  static void start() throws Exception {
    endpoint = ENDPOINTS.start(Clock.systemUTC());
  }

  @AfterAll
  static void stop() throws Exception {
    ENDPOINTS.close();
  }

  @ParameterizedTest
  @EnumSource
  void noRequestIsAFault(Action action) throws Exception {
    for (String body : BODIES) {
      HttpResponse<String> answer = ENDPOINTS.send(endpoint, action.title(), body);

      if (answer.statusCode() != 200) {
        assertThat(answer.statusCode()).as(body).isEqualTo(400);
        assertThat(answer.body()).contains("\"__type\":\"").containsIgnoringCase("\"message\":\"");
      }
    }
  }
}
