package dev.sluice.kinesis.call;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.kinesis.shard.Account;
import dev.sluice.kinesis.shard.Shard;
import dev.sluice.kinesis.shard.StreamChange;
import dev.sluice.kinesis.shard.StreamState;
import dev.sluice.kinesis.shard.StreamState.Mode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ShardRatesTest {
  private static final StreamState STREAM =
      StreamChange.finished(
          StreamChange.create(
              Account.DEFAULT, null, List.of(), "stream", Mode.PROVISIONED, 2, 1_024, Map.of(), 0));

  private long now = Long.MAX_VALUE - 1;
  private final ShardRates rates = new ShardRates(() -> now);

  @Test
  void a_thousand_records_a_second_are_taken_by_each_shard() {
    assertThat(putsTaken(0, 1_500, 1)).isEqualTo(1_000);
    assertThat(putsTaken(1, 10, 1)).isEqualTo(10);
    pass(500);
    assertThat(putsTaken(0, 1_500, 1)).isEqualTo(500);
    pass(60_000);
    assertThat(putsTaken(0, 1_500, 1)).isEqualTo(1_000);
  }

  @Test
  void a_mebibyte_a_second_is_taken() {
    assertThat(putsTaken(0, 20, 1 << 18)).isEqualTo(4);
    pass(250);
    assertThat(putsTaken(0, 20, 1 << 18)).isEqualTo(1);
  }

  @Test
  void what_is_larger_than_a_second_s_worth_passes_and_is_made_up_for() {
    assertThat(putsTaken(0, 2, 10 << 20)).isEqualTo(1);
    pass(9_999);
    assertThat(putsTaken(0, 1, 10 << 20)).isZero();
    pass(1);
    assertThat(putsTaken(0, 1, 10 << 20)).isEqualTo(1);
  }

  @Test
  void five_calls_a_second_read_a_shard() {
    assertThat(readsTaken(7)).isEqualTo(5);
    pass(400);
    assertThat(readsTaken(7)).isEqualTo(2);
  }

  @Test
  void after_ten_mebibytes_nothing_is_read_for_four_seconds_more() {
    assertThat(readsTaken(1)).isEqualTo(1);
    rates.read(STREAM, shard(0), 10 << 20);
    pass(3_999);
    assertThat(readsTaken(1)).isZero();
    pass(1);
    assertThat(readsTaken(1)).isEqualTo(1);
  }

  private int putsTaken(int shard, int tries, int bytes) {
    int taken = 0;
    for (int i = 0; i < tries; i++) {
      taken += rates.mayPut(STREAM, shard(shard), bytes) ? 1 : 0;
    }
    return taken;
  }

  private int readsTaken(int tries) {
    int taken = 0;
    for (int i = 0; i < tries; i++) {
      taken += rates.mayRead(STREAM, shard(0)) ? 1 : 0;
    }
    return taken;
  }

  private void pass(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private static Shard shard(int number) {
    return STREAM.shard(number).orElseThrow();
  }
}
