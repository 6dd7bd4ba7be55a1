package dev.sluice.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionsTest {
  /** From Kafka's own tests of murmur2, made positive. */
  @ParameterizedTest
  @CsvSource({
    "21, -973932308",
    "foobar, -790332482",
    "a-little-bit-long-string, -985981536",
    "a-little-bit-longer-string, -1486304829"
  })
  void aKeyBelongsWhereKafkasProducerSendsIt(String key, int murmur2) {
    for (int count : new int[] {1, 2, 8, 12, 1000}) {
      assertThat(Partitions.of(key, count)).isEqualTo((murmur2 & 0x7fffffff) % count);
    }
  }
}
