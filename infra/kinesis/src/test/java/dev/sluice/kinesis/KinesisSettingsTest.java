package dev.sluice.kinesis;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.kinesis.http.HttpSettings;
import dev.sluice.kinesis.shard.Account;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KinesisSettingsTest {
  private static KinesisSettings offering(String topic) {
    return new KinesisSettings(
        HttpSettings.local(0),
        Account.DEFAULT,
        Map.of(),
        "sluice.",
        (short) 1,
        new byte[KinesisSettings.MIN_SECRET_BYTES],
        null,
        List.of(topic),
        false);
  }

  @Test
  void topicsOfOthersCanBeOffered() {
    assertThatCode(() -> offering("clicks")).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a b",
        "entries",
        "sluice.entries",
        "sluice.config",
        "sluice.kinesis-streams",
        "sluice.kinesis.s"
      })
  void whatIsSluicesOwnCanNotBeWrittenAsItIs(String topic) {
    assertThatThrownBy(() -> offering(topic)).isInstanceOf(IllegalArgumentException.class);
  }
}
