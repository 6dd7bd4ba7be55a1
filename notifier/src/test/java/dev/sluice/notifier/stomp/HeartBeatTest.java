package dev.sluice.notifier.stomp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HeartBeatTest {
  private static final Duration OURS = Duration.ofSeconds(20);

  @ParameterizedTest
  @CsvSource({
    "'20000,20000', 20000, 20000",
    "'10000,30000', 30000, 20000",
    "'60000,1000', 20000, 60000",
    "'0,20000', 20000, 0",
    "'20000,0', 0, 20000",
    "'0,0', 0, 0"
  })
  void eachSideBeatsAsSlowlyAsTheOtherWishes(String header, long send, long expect)
      throws Exception {
    assertThat(HeartBeat.negotiate(header, OURS))
        .isEqualTo(new HeartBeat(Duration.ofMillis(send), Duration.ofMillis(expect)));
  }

  @Test
  void withoutTheHeaderNobodyBeats() throws Exception {
    assertThat(HeartBeat.negotiate(null, OURS))
        .isEqualTo(new HeartBeat(Duration.ZERO, Duration.ZERO));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1", "1,2,3", "a,b", "-1,5", "99999999999,0"})
  void refusesAnythingElse(String header) {
    assertThatThrownBy(() -> HeartBeat.negotiate(header, OURS))
        .isInstanceOf(MalformedFrameException.class);
  }
}
