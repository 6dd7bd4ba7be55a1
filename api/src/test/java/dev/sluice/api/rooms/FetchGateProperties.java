package dev.sluice.api.rooms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.api.rooms.FetchGate.Fetch;
import dev.sluice.api.rooms.FetchGate.Read;
import dev.sluice.api.rooms.SharedFeed.Reading;
import dev.sluice.query.FeedPage;
import dev.sluice.query.FeedPage.FeedEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Against a room whose log grows while it is read, in any order of events. */
class FetchGateProperties {
  private static final long MILLI = 1_000_000;
  private static final long INTERVAL = 250 * MILLI;
  private static final int KEPT = 20;
  private static final int STORE_PAGE = 7;

  @Property(tries = 2_000)
  void no_answer_is_stale_or_has_a_hole_and_everyone_gets_one(
      @ForAll Random random,
      @ForAll @Size(min = 20, max = 300) List<@IntRange(max = 15) Integer> steps) {
    Course course = new Course(random);
    for (int step : steps) {
      course.step(step);
      course.beginWhatCan();
    }
    course.finish();
  }

  private static final class Course {
    private final Random random;
    private final FetchGate gate = new FetchGate(INTERVAL);
    private final Map<Fetch, Came> came = new HashMap<>();
    private final List<Long> events = new ArrayList<>();
    private long end = -1;
    private long now = -50;
    private boolean isHot;
    private long lastBegun = Long.MIN_VALUE;
    private Started known;
    private Started ahead;

    /** What was logged when a fetch came. */
    private record Came(long at, long end, long demand, long after, boolean isHonest) {}

    /** A reading under way, and what the store had when it began. */
    private record Started(Read read, List<Long> kept, long end) {}

    Course(Random random) {
      this.random = random;
    }

    void step(int step) {
      switch (step) {
        case 0, 1, 2 -> append();
        case 3, 4, 5 -> honest();
        case 6 -> invented();
        case 7, 8 -> now += random.nextInt(300) * MILLI;
        case 9, 10 -> endOf(known, false);
        case 11, 12 -> endOf(ahead, false);
        case 13 -> endOf(known, true);
        case 14 -> isHot = !isHot;
        default -> shared();
      }
    }

    private void append() {
      end += 1 + random.nextInt(3);
      events.add(end);
    }

    private void honest() {
      long after =
          events.isEmpty() || random.nextInt(4) == 0
              ? -1
              : events.get(random.nextInt(events.size()));
      long upTo = random.nextBoolean() ? end : -1;
      arrive(new Fetch(after, upTo, 1 + random.nextInt(10)), after, Math.max(after, upTo), true);
    }

    private void invented() {
      long cursor = end + 1_000_000 + random.nextInt(1_000);
      if (random.nextBoolean()) {
        arrive(new Fetch(-1, cursor, 5), -1, cursor, false);
      } else {
        arrive(new Fetch(cursor, -1, 5), cursor, cursor, false);
      }
    }

    private void arrive(Fetch fetch, long after, long demand, boolean isHonest) {
      came.put(fetch, new Came(now, end, demand, after, isHonest));
      gate.arrive(fetch, now);
    }

    void beginWhatCan() {
      for (Read read = gate.next(now, isHot); read != null; read = gate.next(now, isHot)) {
        if (isHot && lastBegun != Long.MIN_VALUE) {
          assertThat(now - lastBegun).isGreaterThanOrEqualTo(INTERVAL);
        }
        lastBegun = now;
        begin(read);
      }
      assertThat(gate.nanosToNext(now, isHot)).isLessThanOrEqualTo(INTERVAL).isNotZero();
    }

    private void begin(Read read) {
      Started started = new Started(read, kept(), end);
      if (read.isAhead()) {
        assertThat(ahead).as("one at a time").isNull();
        ahead = started;
      } else {
        assertThat(known).as("one at a time").isNull();
        assertThat(read.upTo()).as("waits for nothing").isLessThanOrEqualTo(end);
        known = started;
      }
    }

    private List<Long> kept() {
      return List.copyOf(events.subList(Math.max(0, events.size() - KEPT), events.size()));
    }

    private void endOf(Started started, boolean fails) {
      if (started == null) {
        return;
      }
      forget(started);
      if (fails || started.read().upTo() > end) {
        for (Fetch fetch : gate.failed(started.read(), false, now)) {
          Came its = came.remove(fetch);
          assertThat(fails || !its.isHonest()).as("an invented cursor fails no one else").isTrue();
        }
        return;
      }
      // The store waits until it has what is asked for.
      Started read =
          started.read().upTo() <= started.end()
              ? started
              : new Started(started.read(), kept(), end);
      Reading reading = reading(read);
      check(gate.done(read.read(), reading), reading, read);
    }

    private void forget(Started started) {
      if (started.read().isAhead()) {
        ahead = null;
      } else {
        known = null;
      }
    }

    private static Reading reading(Started started) {
      Read read = started.read();
      List<Long> wanted = started.kept().stream().filter(c -> c > read.after()).toList();
      List<Long> page =
          wanted.subList(0, Math.min(Math.min(read.limit(), STORE_PAGE), wanted.size()));
      long cursor = page.isEmpty() ? read.after() : page.get(page.size() - 1);
      boolean more = page.size() < wanted.size();
      List<FeedEvent> events =
          page.stream().map(c -> new FeedEvent(c, 0, new byte[] {(byte) 'x'})).toList();
      long reflects = Math.max(read.upTo(), Math.max(read.after(), cursor));
      return new Reading(read.after(), reflects, new FeedPage(events, cursor, more));
    }

    /** An entry that another instance read some time ago. */
    private void shared() {
      Started started = random.nextBoolean() ? known : ahead;
      if (started == null) {
        return;
      }
      long ago = random.nextInt(400) * MILLI;
      long from = kept().isEmpty() ? -1 : kept().get(random.nextInt(kept().size()));
      Read other = new Read(from, end, 500, false, 0, 0);
      Started theirs = new Started(other, kept(), end);
      Reading reading = reading(theirs);
      long began = started.read().begunAt() - ago;
      List<Fetch> answered = gate.shared(started.read(), reading, ago);
      if (answered.isEmpty()) {
        forget(started);
        Read again = gate.again(started.read(), now);
        if (again != null) {
          begin(again);
        }
        return;
      }
      forget(started);
      for (Fetch fetch : answered) {
        assertThat(came.get(fetch).at()).isLessThanOrEqualTo(began);
      }
      check(answered, reading, theirs);
    }

    private void check(List<Fetch> answered, Reading reading, Started read) {
      for (Fetch fetch : answered) {
        Came its = came.remove(fetch);
        assertThat(its).as("answered once").isNotNull();
        assertThat(read.end()).as("not stale").isGreaterThanOrEqualTo(its.end());
        assertThat(read.end()).as("as asked for").isGreaterThanOrEqualTo(its.demand());
        List<Long> wanted = read.kept().stream().filter(c -> c > its.after()).toList();
        List<Long> given =
            reading.page().events().stream()
                .map(FeedEvent::cursor)
                .filter(c -> c > its.after())
                .toList();
        assertThat(wanted.subList(0, Math.min(given.size(), wanted.size())))
            .as("without a hole")
            .isEqualTo(given);
        assertThat(given.size() == wanted.size() || !given.isEmpty()).as("goes on").isTrue();
      }
    }

    void finish() {
      int rounds = 0;
      while (gate.waiting() > 0) {
        assertThat(rounds++).as("everyone's turn comes").isLessThan(1_000);
        endOf(known, false);
        endOf(ahead, false);
        now += INTERVAL;
        beginWhatCan();
      }
      assertThat(came).isEmpty();
      endOf(known, false);
      endOf(ahead, false);
      now += INTERVAL;
      assertThat(gate.isIdle(now, isHot)).isTrue();
    }
  }
}
