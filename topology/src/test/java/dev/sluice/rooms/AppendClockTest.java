package dev.sluice.rooms;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AppendClockTest {
  private static final long HERE = 1_800_000_000_000L;

  private final AppendClock clock = new AppendClock();

  @Test
  void isThisClockUntilItKnowsBetter() {
    assertThat(clock.at(HERE)).isEqualTo(HERE);
  }

  @Test
  void isNeverBehindWhatWasAppended() {
    clock.seen(HERE + 700, HERE);
    assertThat(clock.at(HERE + 10)).isEqualTo(HERE + 710);
  }

  @Test
  void aRecordThatWaitedTellsNothing() {
    clock.seen(HERE - 60_000, HERE);
    assertThat(clock.at(HERE)).isEqualTo(HERE);
  }

  @Test
  void aRecordAfterAQuietWhileTellsThatThisClockIsAhead() {
    clock.quiet();
    clock.seen(HERE - 3_600_000, HERE);
    assertThat(clock.at(HERE)).isEqualTo(HERE - 3_600_000);
    clock.seen(HERE - 3_700_000, HERE);
    assertThat(clock.at(HERE)).isEqualTo(HERE - 3_600_000);
  }
}
