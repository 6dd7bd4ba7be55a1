package dev.sluice.hot.edge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.RoomSum;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnsentSumsTest {
  private static final long SLOT = 1_796_000_000L;
  private static final long NOW = SLOT * 1000 + 700;

  @Test
  void sums_of_one_second_become_the_greatest_and_tell_their_age_when_they_go() {
    UnsentSums unsent = new UnsentSums(100);
    unsent.add(sum("lobby", SLOT, cell("KR", 3)));
    unsent.add(sum("lobby", SLOT, cell("KR", 5), cell("US", 1)));
    unsent.add(sum("lobby", SLOT, cell("KR", 4)));

    RoomSum sent = unsent.poll(NOW + 2_000, 200);

    assertThat(sent.cells()).containsExactly(cell("KR", 5), cell("US", 1));
    assertThat(sent.ageMillis()).isEqualTo(2_700);
    assertThat(unsent.poll(NOW, 200)).isNull();
    assertThat(unsent.isEmpty()).isTrue();
  }

  @Test
  void the_oldest_goes_first_and_a_large_one_in_parts() {
    UnsentSums unsent = new UnsentSums(100);
    unsent.add(sum("lobby", SLOT - 1, cell("KR", 1), cell("US", 1), cell("JP", 1)));
    unsent.add(sum("lobby", SLOT, cell("KR", 2)));

    assertThat(unsent.poll(NOW, 2).cells()).containsExactly(cell("KR", 1), cell("US", 1));
    assertThat(unsent.poll(NOW, 2).cells()).containsExactly(cell("JP", 1));
    assertThat(unsent.poll(NOW, 2).slot()).isEqualTo(SLOT);
  }

  @Test
  void what_no_window_can_hold_any_more_is_given_up() {
    UnsentSums unsent = new UnsentSums(100);
    unsent.add(sum("lobby", SLOT - 61, cell("KR", 1)));
    unsent.add(sum("lobby", SLOT - 59, cell("KR", 1)));

    assertThat(unsent.poll(NOW, 200).slot()).isEqualTo(SLOT - 59);
    assertThat(unsent.givenUp()).isEqualTo(1);
  }

  @Test
  void however_long_the_log_is_away_there_are_no_more_than_allowed_and_the_newest_stay() {
    UnsentSums unsent = new UnsentSums(100);
    for (int i = 0; i < 1_000_000; i++) {
      unsent.add(sum("room-" + i, SLOT, cell("KR", 1), cell("US", 1)));
    }

    assertThat(unsent.givenUp()).isEqualTo(1_000_000 - 50);
    assertThat(unsent.poll(NOW, 200).roomId()).isEqualTo("room-999950");
  }

  private static RoomSum sum(String roomId, long slot, RoomSum.Cell... cells) {
    return new RoomSum(roomId, "edge.1", slot, 0, List.of(cells));
  }

  private static RoomSum.Cell cell(String country, long count) {
    return new RoomSum.Cell(EventKind.FETCH, country, null, List.of(0L, count));
  }
}
