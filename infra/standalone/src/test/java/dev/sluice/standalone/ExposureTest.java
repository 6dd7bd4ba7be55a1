package dev.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExposureTest {
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.0.0.2", "::1", "localhost"})
  void loopback_demands_nothing(String address) {
    Exposure exposure = Exposure.of(Map.of("server.address", address));

    assertThat(exposure.isLoopbackOnly()).isTrue();
    assertThatCode(() -> exposure.demand(null, " ")).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({
    ",, SLUICE_ADMIN_TOKEN and SLUICE_SECRET",
    "t,, SLUICE_SECRET",
    ",s, SLUICE_ADMIN_TOKEN",
    "t,' ', SLUICE_SECRET",
  })
  void beyond_loopback_both_are_demanded(String token, String secret, String missing) {
    Exposure exposure = Exposure.of(Map.of("server.address", "0.0.0.0"));

    assertThatThrownBy(() -> exposure.demand(token, secret))
        .isInstanceOf(StartRefusal.class)
        .hasMessage(
            "server.address is 0.0.0.0, which others can reach: set %s, or bind 127.0.0.1",
            missing);
  }

  @Test
  void beyond_loopback_both_are_enough() {
    Exposure exposure = Exposure.of(Map.of("server.address", "0.0.0.0"));

    assertThatCode(() -> exposure.demand("t", "s")).doesNotThrowAnyException();
  }

  @Test
  void one_address_beyond_loopback_is_enough_to_be_reached() {
    Exposure exposure =
        Exposure.of(Map.of("server.address", "127.0.0.1", "sluice.broker.address", "192.0.2.7"));

    assertThatThrownBy(() -> exposure.demand("t", null))
        .hasMessageStartingWith("sluice.broker.address is 192.0.2.7");
  }
}
