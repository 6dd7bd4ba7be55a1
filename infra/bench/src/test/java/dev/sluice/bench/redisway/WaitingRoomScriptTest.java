package dev.sluice.bench.redisway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.bench.process.RedisProcess;
import dev.sluice.bench.redisway.WaitingRoomScript.Standing;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The baseline must really be a waiting room, or beating it would mean nothing. */
class WaitingRoomScriptTest {
  private static final long NOW = 1_000_000;

  @TempDir private Path directory;

  @Test
  void admitsInOrderRanksTheRestAndRepeatsItself() throws InterruptedException {
    try (RedisProcess redis = RedisProcess.start(directory, false);
        WaitingRoomScript script =
            new WaitingRoomScript(redis.port(), 2, 2, Duration.ofMillis(100))) {
      assertThat(script.enter("r", "a", "s", NOW))
          .isEqualTo(new Standing("ADMITTED", 1, 0, 0, NOW + 100));
      script.enter("r", "b", "s", NOW);
      assertThat(script.enter("r", "c", "s", NOW)).isEqualTo(new Standing("WAITING", 3, 1, 1, 0));
      assertThat(script.enter("r", "d", "s", NOW)).isEqualTo(new Standing("WAITING", 4, 2, 2, 0));

      assertThat(script.enter("r", "d", "s", NOW)).isEqualTo(new Standing("WAITING", 4, 2, 2, 0));
      assertThat(script.enter("r", "d", "other", NOW).status()).isEqualTo("NOT_YOURS");

      assertThat(script.enter("r", "d", "s", NOW + 100))
          .isEqualTo(new Standing("ADMITTED", 4, 0, 0, NOW + 200));
      assertThat(script.enter("r", "a", "s", NOW + 100))
          .isEqualTo(new Standing("WAITING", 5, 1, 1, 0));
    }
  }
}
