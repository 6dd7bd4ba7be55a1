package dev.sluice.kinesis.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.Consumer;
import dev.sluice.kinesis.shard.KinesisException;
import dev.sluice.kinesis.wire.StreamNames.ConsumerName;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class StreamNamesTest {
  private static final Account ACCOUNT = new Account("eu-west-1", "000000000000");
  private static final StreamNames NAMES = new StreamNames(ACCOUNT);
  private static final String ARN = "arn:aws:kinesis:eu-west-1:000000000000:stream/a";

  @Test
  void aStreamIsNamedByNameOrArnOrBoth() throws Exception {
    assertThat(ACCOUNT.streamArn("a")).isEqualTo(ARN);
    assertThat(NAMES.stream(input("{\"StreamName\":\"a\"}"))).isEqualTo("a");
    assertThat(NAMES.stream(input("{\"StreamARN\":\"" + ARN + "\"}"))).isEqualTo("a");
    assertThat(NAMES.stream(input("{\"StreamName\":\"a\",\"StreamARN\":\"" + ARN + "\"}")))
        .isEqualTo("a");
    assertThatThrownBy(
            () -> NAMES.stream(input("{\"StreamName\":\"b\",\"StreamARN\":\"" + ARN + "\"}")))
        .isInstanceOf(KinesisException.class);
    assertThatThrownBy(() -> NAMES.stream(input("{}"))).isInstanceOf(KinesisException.class);
  }

  @Test
  void theStreamsOfOthersArentFound() {
    assertThatThrownBy(() -> NAMES.stream("arn:aws:kinesis:eu-west-1:111111111111:stream/a"))
        .hasMessage("Stream a under account 111111111111 not found.");
    assertThatThrownBy(() -> NAMES.stream("arn:aws:kinesis:us-east-1:000000000000:stream/a"))
        .hasMessage("Stream a under account 000000000000 not found.");
  }

  @Test
  void aConsumerIsNamedByItsArn() {
    String arn = ACCOUNT.consumerArn("a", new Consumer("c", 1_700_000_000_123L));

    assertThat(arn).isEqualTo(ARN + "/consumer/c:1700000000");
    assertThat(StreamNames.isConsumer(arn)).isTrue();
    assertThat(StreamNames.isConsumer(ARN)).isFalse();
    assertThat(NAMES.consumer(arn)).isEqualTo(new ConsumerName("a", "c", 1_700_000_000L));
    assertThatThrownBy(() -> NAMES.consumer(ARN + "/consumer/c:" + "9".repeat(30)))
        .isInstanceOf(KinesisException.class);
  }

  @Test
  void anAccountHasTwelveDigits() {
    assertThatThrownBy(() -> new Account("eu-west-1", "1"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Account("no region", "000000000000"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Input input(String body) throws MalformedBodyException {
    return Format.JSON.read(Action.DESCRIBE_STREAM, ByteBuffer.wrap(body.getBytes(UTF_8)));
  }
}
