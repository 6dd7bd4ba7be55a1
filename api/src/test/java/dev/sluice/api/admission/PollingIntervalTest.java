package dev.sluice.api.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PollingIntervalTest {
  @ParameterizedTest
  @CsvSource({
    "1, 1, 2000",
    "10, 10, 2000",
    "11, 11, 15000",
    "11, 22, 15000",
    "11, 23, 10000",
    "99, 10000, 2000",
    "100, 10000, 5000",
    "999, 10000, 5000",
    "1000, 10000, 10000",
    "4999, 10000, 10000",
    "5000, 10000, 15000",
    "10000, 10000, 15000",
    "10, 1000000, 2000"
  })
  void who_is_nearer_may_ask_sooner(long rank, long totalWaiting, int interval) {
    assertThat(PollingInterval.of(rank, totalWaiting)).isEqualTo(interval);
  }
}
