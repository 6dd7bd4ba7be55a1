package dev.sluice.notifier.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OriginRuleTest {
  private final OriginRule rule = new OriginRule(List.of("https://Tickets.example"));

  @ParameterizedTest
  @CsvSource({
    "http://localhost:8080, localhost:8080",
    "https://sluice.example, sluice.example",
    "https://sluice.example, sluice.example:443",
    "http://SLUICE.example:80, sluice.example",
    "https://tickets.example, other.example",
    ", localhost"
  })
  void letsIn(String origin, String host) {
    assertThat(rule.allows(origin, host)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "http://evil.example, sluice.example",
    "http://localhost:3000, localhost:8080",
    "https://sluice.example.evil, sluice.example",
    "https://evil.example@sluice.example, sluice.example",
    "null, sluice.example",
    "sluice.example, sluice.example",
    "'', sluice.example",
    "'http://[', sluice.example",
    "https://sluice.example, "
  })
  void keepsOut(String origin, String host) {
    assertThat(rule.allows(origin, host)).isFalse();
  }

  @Test
  void aStarLetsAnyoneIn() {
    assertThat(new OriginRule(List.of("*")).allows("https://a.example", "b.example")).isTrue();
  }
}
