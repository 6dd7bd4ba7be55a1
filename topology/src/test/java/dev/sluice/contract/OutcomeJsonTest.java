package dev.sluice.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.GoldenSamples.Sample;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutcomeJsonTest {
  @Test
  void whatWasOnceWrittenIsReadAndWrittenTheSame() throws Exception {
    Set<String> seen = new HashSet<>();
    for (Sample sample : GoldenSamples.in("outcomes.txt")) {
      Outcome outcome = OutcomeJson.read(sample.key(), sample.value());
      seen.add(OutcomeJson.type(outcome));

      assertThat(OutcomeJson.write(outcome)).asString(UTF_8).isEqualTo(sample.json());
    }
    assertThat(seen)
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    Arrays.stream(PersonStatus.values()).map(PersonStatus::name),
                    Stream.of("REJECTED", "PROGRESS"))
                .toList());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"type\":\"DANCE\",\"v\":1,\"roomId\":\"lobby\",\"version\":\"0:0:0\","
            + "\"at\":\"2026-11-29T12:00:00Z\"} | there is no outcome of type \"DANCE\"",
        "{\"type\":\"PROGRESS\",\"v\":1,\"roomId\":\"hall\"} | roomId is not the key of the record",
        "{\"type\":\"PROGRESS\",\"v\":1,\"roomId\":\"lobby\"} | version is missing in PROGRESS",
        "{\"type\":\"PROGRESS\",\"v\":1,\"roomId\":\"lobby\",\"version\":\"0:0\"} |"
            + " version must be partition:offset:index",
        "{\"type\":\"PROGRESS\",\"v\":1,\"roomId\":\"lobby\",\"version\":\"0:0:0\","
            + "\"at\":\"2026-02-30T24:00:00.000Z\"} |"
            + " at must be a time such as 2026-11-29T12:00:00.123Z",
        "{\"type\":\"PROGRESS\",\"v\":1,\"roomId\":\"lobby\",\"version\":\"0:0:0\","
            + "\"at\":\"noon\"} | at must be a time such as 2026-11-29T12:00:00.123Z",
        "{\"type\":\"PROGRESS\",\"v\":1,\"roomId\":\"lobby\",\"version\":\"0:0:0\","
            + "\"at\":\"2026-11-29T12:00:00Z\",\"state\":\"AJAR\"} |"
            + " state of PROGRESS can't be \"AJAR\"",
        "{\"type\":\"LEFT\",\"v\":1,\"roomId\":\"lobby\",\"requestId\":\"u\",\"session\":\"s\","
            + "\"version\":\"0:0:0\",\"at\":\"2026-11-29T12:00:00Z\"} | receipt is missing in LEFT",
      })
  void whatIsWrongIsSaidInWords(String json, String words) {
    assertThatThrownBy(() -> OutcomeJson.read("lobby", json.getBytes(UTF_8)))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessage(words);
  }
}
