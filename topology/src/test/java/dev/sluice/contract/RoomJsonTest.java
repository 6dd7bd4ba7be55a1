package dev.sluice.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.contract.GoldenSamples.Sample;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Records about rooms, as they have been written since their first release. */
class RoomJsonTest {
  @Test
  void whatWasOnceWrittenIsReadAndWrittenTheSame() throws Exception {
    for (Sample sample : GoldenSamples.in("room-events.txt")) {
      assertThat(RoomEventJson.write(RoomEventJson.read(sample.value())))
          .asString(UTF_8)
          .isEqualTo(sample.json());
    }
    for (Sample sample : GoldenSamples.in("joins.txt")) {
      assertThat(MembershipJson.write(MembershipJson.read(sample.key(), sample.value())))
          .asString(UTF_8)
          .isEqualTo(sample.json());
    }
    for (Sample sample : GoldenSamples.in("room-counts.txt")) {
      assertThat(RoomCountJson.write(RoomCountJson.read(sample.key(), sample.value())))
          .asString(UTF_8)
          .isEqualTo(sample.json());
    }
    for (Sample sample : GoldenSamples.in("hot-rooms.txt")) {
      assertThat(HotVerdictJson.write(HotVerdictJson.read(sample.key(), sample.value())))
          .asString(UTF_8)
          .isEqualTo(sample.json());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "1",
        "-1.5e3",
        "true",
        "false",
        "\"hi\"",
        "\"\"",
        "\"\\u00e9 é 😀 \\\" }\"",
        "{}",
        "[]",
        "{\"a\":[1,{\"b\":\"]}\"}],\"c\":null}",
        "[ 1 , 2 ]",
      })
  void aPayloadComesBackAsItWasWritten(String payload) throws Exception {
    for (String after : new String[] {"", ",\"more\":1", " , \"more\" : [ ] "}) {
      String json =
          "{\"type\":\"MESSAGE\",\"v\":1,\"roomId\":\"lobby\",\"payload\": %s%s}"
              .formatted(payload, after);
      assertThat(RoomEventJson.read(json.getBytes(UTF_8)).payload()).isEqualTo(payload);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"type\":\"DANCE\",\"v\":1,\"roomId\":\"a\"} | there is no event of type \"DANCE\"",
        "{\"type\":\"FETCH\",\"v\":1} | roomId is missing in FETCH",
        "{\"type\":\"FETCH\",\"v\":1,\"roomId\":\"a\",\"country\":\"Korea\"} |"
            + " country of FETCH must be two capital letters, such as KR",
        "{\"type\":\"FETCH\",\"v\":1,\"roomId\":\"a\",\"app\":\"\"} |"
            + " app of FETCH must be 1 to 64 characters of A-Z a-z 0-9 . _ : -",
        "{\"type\":\"FETCH\",\"v\":2,\"roomId\":\"a\"} | v is 2; this program reads 1 to 1",
      })
  void whatIsWrongIsSaidInWords(String json, String words) {
    assertThatThrownBy(() -> RoomEventJson.read(json.getBytes(UTF_8)))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessage(words);
  }
}
