package dev.sluice.notifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

final class PushSettingsTest {
  @Test
  void hasTheDefaultsOfTheContract() {
    PushSettings settings = bound(Map.of());

    assertThat(settings.heartbeat()).isEqualTo(Duration.ofSeconds(20));
    assertThat(settings.rankPeriod()).isEqualTo(Duration.ofSeconds(2));
    assertThat(settings.rankSync()).isEqualTo(Duration.ofSeconds(5));
    assertThat(settings.statsPeriod()).isEqualTo(Duration.ofSeconds(1));
    assertThat(settings.allowedOrigins()).isEmpty();
    assertThat(settings.tick()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void isReadFromProperties() {
    PushSettings settings =
        bound(
            Map.of(
                "sluice.push.rank-period", "500ms",
                "sluice.push.max-outbox", "128KB",
                "sluice.push.allowed-origins", "https://a.example,https://b.example"));

    assertThat(settings.rankPeriod()).isEqualTo(Duration.ofMillis(500));
    assertThat(settings.limits().outboxBytes()).isEqualTo(131_072);
    assertThat(settings.allowedOrigins()).containsExactly("https://a.example", "https://b.example");
  }

  @Test
  void refusesInWordsWhatCannotWork() {
    assertThatThrownBy(() -> bound(Map.of("sluice.push.silence", "30s")))
        .rootCause()
        .hasMessageContaining("silence must be above two heartbeats");
    assertThatThrownBy(() -> bound(Map.of("sluice.push.rank-period", "0s")))
        .rootCause()
        .hasMessageContaining("no period may be below");
  }

  @Test
  void takesAThousandAndMoreASecondButNotNone() {
    assertThat(bound(Map.of()).acceptRate()).isEqualTo(2_000);
    assertThatThrownBy(() -> bound(Map.of("sluice.push.accept-rate", "0")))
        .rootCause()
        .hasMessageContaining("accept-rate must be above 0");
  }

  private static PushSettings bound(Map<String, String> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bindOrCreate("sluice.push", PushSettings.class);
  }
}
