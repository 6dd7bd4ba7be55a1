package dev.sluice.rooms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.SumMark;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Whatever happens, the greatest sums that arrive add up to what was logged. */
class LoggedSumsProperties {
  private static final String HERE = "room-events-3";
  private static final long NOON = 1_800_000_000_000L;
  private static final List<EventKind> KINDS = List.of(EventKind.values());

  private record Logged(long at, RoomEvent event, SumMark mark) {}

  private record Counted(
      String room, String by, long slot, EventKind kind, String country, String app, int tenth) {}

  /** What arrived at whoever takes the greatest. */
  private final Map<Counted, Long> greatest = new HashMap<>();

  @Property(tries = 300)
  void theGreatestSumsAreWhatWasLogged(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 400) int length) {
    greatest.clear();
    Random random = new Random(seed);
    List<Logged> log = log(random, length);
    CrashingRows rows = new CrashingRows();
    List<RoomSum> onTheirWay = new ArrayList<>();
    LoggedSums sums = sums(rows, onTheirWay);
    int committed = 0;
    int crashes = 0;
    for (int offset = 0; offset < length; offset++) {
      Logged next = log.get(offset);
      sums.add(offset, next.at(), next.event(), next.mark(), next.at());
      int chance = random.nextInt(20);
      if (chance == 0 && crashes < 20) {
        crashes++;
        if (random.nextBoolean()) {
          sums.write(next.at());
        }
        onTheirWay.stream().filter(sum -> random.nextBoolean()).forEach(this::arrives);
        onTheirWay.clear();
        rows.crashMixed(random);
        sums = sums(rows, onTheirWay);
        offset = committed - 1;
      } else if (chance < 3) {
        commit(sums, rows, onTheirWay, next.at());
        committed = offset + 1;
      } else if (chance < 8) {
        sums.flush(next.at());
      }
    }
    commit(sums, rows, onTheirWay, log.get(length - 1).at());

    Map<Counted, Long> logged = new HashMap<>();
    log.forEach(next -> logged.merge(counted(next), 1L, Long::sum));
    assertThat(greatest).isEqualTo(logged);
  }

  @Property(tries = 50)
  void aSumsAgeTellsItsSecond(@ForAll @IntRange(min = 0, max = 400) int delay, @ForAll long seed) {
    Random random = new Random(seed);
    List<RoomSum> sent = new ArrayList<>();
    LoggedSums sums = sums(new CrashingRows(), sent);
    long reserved = NOON + random.nextInt(10_000);
    long at = reserved + delay;
    sums.add(0, at, event("lobby", null, "ios"), new SumMark("edge", reserved / 100), at);
    sums.add(1, at, event("lobby", null, "ios"), null, at);
    long now = at + random.nextInt(5_000);
    sums.write(now);

    for (RoomSum sum : sent) {
      assertThat(Math.round((now - sum.ageMillis()) / 1000.0)).isEqualTo(sum.slot());
    }
    assertThat(sent).extracting(RoomSum::producer).containsExactlyInAnyOrder("edge", HERE);
  }

  @Example
  void moreAppsThanFitIntoASumCountAsOther() {
    List<RoomSum> sent = new ArrayList<>();
    LoggedSums sums = sums(new CrashingRows(), sent);
    for (int offset = 0; offset < 10_000; offset++) {
      RoomEvent event =
          new RoomEvent(EventKind.MESSAGE, "lobby", null, "KR", "app-" + offset, null);
      sums.add(offset, 1_000, event, null, 1_000);
    }
    sums.flush(1_050);
    greatest.clear();
    sent.forEach(this::arrives);

    assertThat(greatest.values().stream().mapToLong(Long::longValue).sum()).isEqualTo(10_000);
    assertThat(greatest).hasSizeLessThanOrEqualTo(RoomCountJson.MAX_CELLS + 1);
  }

  @Example
  void aRoomThatHasGatheredEnoughIsSentAtOnce() {
    List<RoomSum> sent = new ArrayList<>();
    LoggedSums sums = new LoggedSums(HERE, new CrashingRows(), room -> 3, sent::add);
    for (int offset = 0; offset < 7; offset++) {
      sums.add(offset, NOON, event("lobby", "KR", "ios"), null, NOON);
    }
    assertThat(sent).extracting(sum -> sum.cells().get(0).total()).containsExactly(3L, 6L);
    sums.flush(NOON);
    sums.flush(NOON);
    assertThat(sent).extracting(sum -> sum.cells().get(0).total()).containsExactly(3L, 6L, 7L);
  }

  @Example
  void moreCellsThanASumMayHaveGoAsSeveral() {
    List<RoomSum> sent = new ArrayList<>();
    LoggedSums sums = new LoggedSums(HERE, new CrashingRows(), room -> 10_000, sent::add);
    int apps = 2 * RoomCountJson.MAX_CELLS + 1;
    for (int offset = 0; offset < 2 * apps; offset++) {
      SumMark mark = new SumMark("edge", NOON / 100);
      sums.add(offset, NOON, event("lobby", null, "app" + offset % apps), mark, NOON);
    }
    sums.write(NOON);

    assertThat(sent).hasSize(3);
    sent.forEach(sum -> assertThat(RoomCountJson.write(sum)).isNotEmpty());
    assertThat(sent.stream().flatMap(sum -> sum.cells().stream()).mapToLong(c -> c.total()).sum())
        .isEqualTo(2L * apps);
  }

  @Example
  void inventedRoomsGrowNeitherTheHeapNorForEverTheStore() {
    CrashingRows rows = new CrashingRows();
    LoggedSums sums = sums(rows, new ArrayList<>());
    long at = NOON;
    int most = 0;
    for (int offset = 0; offset < 200_000; offset++) {
      sums.add(offset, at, event("invented" + offset, null, null), null, at);
      assertThat(sums.cellsInHeap()).isLessThanOrEqualTo(LoggedSums.MAX_CELLS);
      if (offset % 1_000 == 999) {
        at += 4_000;
        sums.write(at);
        rows.commit();
        most = Math.max(most, rows.size());
      }
    }
    assertThat(most).isLessThan(2 * 40_000);
  }

  private static LoggedSums sums(CrashingRows rows, List<RoomSum> out) {
    return new LoggedSums(HERE, rows, room -> 5, out::add);
  }

  private void commit(LoggedSums sums, CrashingRows rows, List<RoomSum> onTheirWay, long now) {
    sums.write(now);
    onTheirWay.forEach(this::arrives);
    onTheirWay.clear();
    rows.commit();
  }

  private void arrives(RoomSum sum) {
    for (RoomSum.Cell cell : sum.cells()) {
      for (int tenth = 0; tenth < cell.counts().size(); tenth++) {
        if (cell.counts().get(tenth) > 0) {
          greatest.merge(
              new Counted(
                  sum.roomId(),
                  sum.producer(),
                  sum.slot(),
                  cell.kind(),
                  cell.country(),
                  cell.app(),
                  tenth),
              cell.counts().get(tenth),
              Math::max);
        }
      }
    }
  }

  private static Counted counted(Logged logged) {
    RoomEvent event = logged.event();
    long tenth = logged.mark() == null ? logged.at() / 100 : logged.mark().tenth();
    return new Counted(
        event.roomId(),
        logged.mark() == null ? HERE : logged.mark().producer(),
        Math.floorDiv(tenth, 10),
        event.kind(),
        event.country(),
        event.app(),
        (int) Math.floorMod(tenth, 10L));
  }

  /** Now and then nothing comes for minutes, so that rows are forgotten. */
  private static List<Logged> log(Random random, int length) {
    List<Logged> log = new ArrayList<>();
    long at = NOON;
    for (int i = 0; i < length; i++) {
      at += random.nextInt(50) == 0 ? random.nextInt(200_000) : random.nextInt(120);
      RoomEvent event =
          new RoomEvent(
              KINDS.get(random.nextInt(3)),
              "room" + random.nextInt(4),
              null,
              random.nextBoolean() ? "KR" : null,
              random.nextBoolean() ? "ios" : null,
              null);
      // An edge's clock may be anything, as long as it goes on with time.
      long edge = at / 100 - 1_000_000 - random.nextInt(5);
      SumMark mark = random.nextBoolean() ? null : new SumMark("edge" + random.nextInt(2), edge);
      log.add(new Logged(at, event, mark));
    }
    return log;
  }

  private static RoomEvent event(String room, String country, String app) {
    return new RoomEvent(EventKind.MESSAGE, room, null, country, app, null);
  }
}
