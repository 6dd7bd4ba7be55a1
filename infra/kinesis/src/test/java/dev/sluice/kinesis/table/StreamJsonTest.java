package dev.sluice.kinesis.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.HashKey;
import dev.sluice.kinesis.shard.Resharding;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamChange;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.shard.StreamState.Mode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StreamJsonTest {
  private static final Account ACCOUNT = Account.DEFAULT;

  @Test
  void aStreamIsReadAsItWasWritten() throws Exception {
    StreamState stream =
        StreamChange.finished(
            StreamChange.create(
                ACCOUNT,
                null,
                List.of(),
                "s",
                Mode.PROVISIONED,
                3,
                2_048,
                Map.of("a\"", "é"),
                1_800_000_000_123L));
    stream = StreamChange.registerConsumer(ACCOUNT, stream, "c", 1_800_000_000_456L);
    stream = StreamChange.encryption(ACCOUNT, stream, "alias/aws/kinesis");
    stream = StreamChange.enableMonitoring(ACCOUNT, stream, List.of("IncomingBytes"));
    StreamState splitting = Resharding.split(ACCOUNT, stream, Shard.id(0), HashKey.parse("77"), 5);
    StreamState split = Resharding.closed(splitting, List.of(9L), 1_800_000_001_000L);
    StreamState merging = Resharding.merge(ACCOUNT, split, Shard.id(1), Shard.id(2));
    StreamState ofOthers = StreamChange.ofOthers(null, "o", "a.topic", 3, 1, 1_800_000_000_123L);

    for (StreamState each : List.of(stream, splitting, split, merging, ofOthers)) {
      assertThat(StreamJson.read(StreamJson.write(each))).isEqualTo(each);
    }
  }

  @Test
  void fieldsItDoesNotKnowArePassedOver() throws Exception {
    StreamState stream =
        StreamChange.create(ACCOUNT, null, List.of(), "s", Mode.ON_DEMAND, 0, 1_024, Map.of(), 1);
    String json = new String(StreamJson.write(stream), UTF_8);
    String more =
        json.replace("{\"v\":1", "{\"more\":{\"v\":[9]},\"v\":1")
            .replace("{\"number\":0", "{\"more\":[],\"number\":0");

    assertThat(more).isNotEqualTo(json);
    assertThat(StreamJson.read(more.getBytes(UTF_8))).isEqualTo(stream);
  }

  @Test
  void whatIsNoStreamIsRefused() {
    for (String json :
        List.of(
            "",
            "[]",
            "{}",
            "{\"v\":2}",
            "{\"v\":1,\"name\":\"s\"}",
            "{\"v\":\"one\"}",
            "{\"v\":1")) {
      assertThatThrownBy(() -> StreamJson.read(json.getBytes(UTF_8)))
          .isInstanceOf(StreamJson.UnreadableException.class);
    }
  }
}
