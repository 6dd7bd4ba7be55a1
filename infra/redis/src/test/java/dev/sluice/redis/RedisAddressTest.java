package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RedisAddressTest {
  @Test
  void readsOneNodeOrACluster() {
    assertThat(RedisAddress.parse("redis://localhost:6379").isCluster()).isFalse();
    assertThat(RedisAddress.parse("rediss://ann:s3cret@cache:6380/2")).hasToString("cache:6380");
    RedisAddress cluster = RedisAddress.parse("redis://a:1, redis://b:2");
    assertThat(cluster.isCluster()).isTrue();
    assertThat(cluster).hasToString("a:1,b:2");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost:6379",
        "http://ann:s3cret@localhost:6379",
        "redis://ann:s3cret@localhost",
        "redis://ann:s3cret@local host:6379",
        "redis://ann:s3cret@localhost:6379/zero",
        "redis://a:1,,redis://b:2"
      })
  void refusesOthersWithoutRepeatingThePassword(String text) {
    assertThatThrownBy(() -> RedisAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("redis://host:port")
        .hasMessageNotContaining("s3cret")
        .hasNoCause();
  }
}
