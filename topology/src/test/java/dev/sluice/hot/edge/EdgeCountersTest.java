package dev.sluice.hot.edge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.RoomCountJson;
import dev.sluice.contract.RoomEvent;
import dev.sluice.contract.RoomSum;
import dev.sluice.contract.SumMark;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EdgeCountersTest {
  private static final long BEGIN = 1_796_000_000_000L;
  private static final long NEVER_EARLY = Long.MAX_VALUE;

  private final AtomicInteger woken = new AtomicInteger();
  private final Owner owner = new Owner();
  private long now = BEGIN;

  @Test
  void a_count_stands_in_its_tenth_of_its_second() {
    EdgeCounters counters = counters(10);
    at(counters, BEGIN + 250);
    counters.count("lobby", EventKind.FETCH, "KR", "ios");
    at(counters, BEGIN + 310);
    counters.count("lobby", EventKind.FETCH, "KR", "ios");
    counters.count("lobby", EventKind.FETCH, "KR", "ios");

    List<RoomSum> sums = counters.flush(BEGIN + 340);

    assertThat(sums).hasSize(1);
    RoomSum sum = sums.get(0);
    assertThat(sum.roomId()).isEqualTo("lobby");
    assertThat(sum.slot()).isEqualTo(BEGIN / 1000);
    assertThat(sum.ageMillis()).isEqualTo(340);
    assertThat(sum.cells())
        .containsExactly(new RoomSum.Cell(EventKind.FETCH, "KR", "ios", List.of(0L, 0L, 1L, 2L)));
  }

  @Test
  void only_what_has_changed_is_given_and_whole_again() {
    EdgeCounters counters = counters(10);
    at(counters, BEGIN);
    counters.count("lobby", EventKind.FETCH, "KR", null);
    counters.count("lobby", EventKind.FETCH, null, "web");
    counters.flush(BEGIN);

    assertThat(counters.flush(BEGIN + 50)).isEmpty();
    counters.count("lobby", EventKind.FETCH, "KR", null);
    assertThat(counters.flush(BEGIN + 100).get(0).cells())
        .containsExactly(new RoomSum.Cell(EventKind.FETCH, "KR", null, List.of(2L)));
  }

  @Test
  void nothing_is_lost_or_doubled_by_many_threads_and_flushes() throws Exception {
    int threads = 8;
    int each = 300_000;
    AtomicLong clock = new AtomicLong(BEGIN);
    EdgeCounters counters =
        new EdgeCounters("e", 1_000, room -> 100, () -> woken.incrementAndGet());
    counters.tick(clock.get());
    AtomicBoolean counting = new AtomicBoolean(true);
    // The clock goes several times as fast, so that seconds come and go.
    Thread ticker =
        new Thread(
            () -> {
              while (counting.get()) {
                counters.tick(clock.addAndGet(1));
                LockSupport.parkNanos(100_000);
              }
            });
    Thread flusher =
        new Thread(
            () -> {
              while (counting.get()) {
                owner.take(counters.flushUrgent(clock.get()));
                owner.take(counters.flush(clock.get()));
              }
            });
    ticker.start();
    flusher.start();
    List<Thread> workers = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      String country = t % 2 == 0 ? "KR" : null;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < each; i++) {
                  if (i % 3 == 0) {
                    counters.reserve("lobby", EventKind.MESSAGE, country, "ios").count();
                  } else {
                    counters.count("lobby", EventKind.FETCH, country, "ios");
                  }
                }
              });
      thread.start();
      workers.add(thread);
    }
    for (Thread thread : workers) {
      thread.join();
    }
    counting.set(false);
    ticker.join();
    flusher.join();
    owner.take(counters.flushAll(clock.get()));

    assertThat(owner.total(EventKind.MESSAGE)).isEqualTo(threads * (each / 3L));
    assertThat(owner.total(EventKind.FETCH)).isEqualTo(threads * (each - each / 3L));
    assertThat(woken).hasPositiveValue();
  }

  @Test
  void a_sum_never_goes_back_however_the_clock_overtakes_who_counts() throws Exception {
    AtomicLong clock = new AtomicLong(BEGIN);
    AtomicLong flushed = new AtomicLong(BEGIN);
    EdgeCounters counters = counters(10);
    AtomicBoolean counting = new AtomicBoolean(true);
    List<Thread> threads = new ArrayList<>();
    threads.add(
        new Thread(
            () -> {
              while (counting.get()) {
                // Not further ahead than a flusher may be late: what isn't flushed is kept.
                if (clock.get() - flushed.get() < 30_000) {
                  counters.tick(clock.addAndGet(900));
                } else {
                  Thread.onSpinWait();
                }
              }
            }));
    for (int t = 0; t < 4; t++) {
      threads.add(
          new Thread(
              () -> {
                while (counting.get()) {
                  counters.count("lobby", EventKind.FETCH, null, null);
                }
              }));
    }
    threads.forEach(Thread::start);
    long until = System.nanoTime() + 1_000_000_000L;
    while (System.nanoTime() < until) {
      long now = clock.get();
      owner.take(counters.flush(now));
      flushed.set(now);
    }
    counting.set(false);
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(owner.backwards()).isZero();
  }

  @Test
  void a_room_that_comes_back_after_a_rest_has_other_producers() {
    EdgeCounters counters = counters(10);
    count(counters, "lobby", 5);
    pass(counters, 3_200);
    assertThat(counters.rooms()).isZero();
    count(counters, "lobby", 7);
    pass(counters, 50);

    assertThat(owner.total(EventKind.FETCH)).isEqualTo(12);
    assertThat(owner.producers()).hasSize(2);
    assertThat(counters.rooms()).isOne();
  }

  @Test
  void who_counts_late_in_a_forgotten_room_is_heard() {
    EdgeCounters counters = counters(10);
    at(counters, now);
    EdgeCounters.Place place = counters.reserve("lobby", EventKind.MESSAGE, null, null);
    pass(counters, 3_500);
    assertThat(counters.rooms()).isZero();
    place.count();
    pass(counters, 1_100);

    assertThat(owner.of(place.mark(), EventKind.MESSAGE)).isEqualTo(1);
  }

  @Test
  void a_second_without_successor_is_told_however_late_it_is_counted() {
    EdgeCounters counters = counters(10);
    at(counters, now);
    EdgeCounters.Place place = counters.reserve("lobby", EventKind.MESSAGE, null, null);
    for (int i = 0; i < 60; i++) {
      counters.count("lobby", EventKind.FETCH, null, null);
      pass(counters, 50);
    }
    place.count();
    pass(counters, 50);

    assertThat(owner.of(place.mark(), EventKind.MESSAGE)).isEqualTo(1);
  }

  @Test
  void a_flush_that_comes_seconds_late_misses_nothing() {
    EdgeCounters counters = counters(10);
    at(counters, now);
    counters.count("lobby", EventKind.FETCH, "KR", null);
    for (int i = 0; i < 8; i++) {
      now += 1_000;
      at(counters, now);
      counters.count("lobby", EventKind.FETCH, "US", null);
    }
    owner.take(counters.flush(now));

    assertThat(owner.total(EventKind.FETCH)).isEqualTo(9);
  }

  @Test
  void a_place_is_counted_where_its_mark_says_when_its_record_is_acknowledged() {
    EdgeCounters counters = counters(10);
    at(counters, BEGIN + 420);
    EdgeCounters.Place acknowledged = counters.reserve("lobby", EventKind.MESSAGE, "KR", "ios");
    EdgeCounters.Place lost = counters.reserve("lobby", EventKind.MESSAGE, "KR", "ios");
    assertThat(counters.flush(BEGIN + 450)).isEmpty();
    assertThat(lost.mark()).isEqualTo(acknowledged.mark());
    at(counters, BEGIN + 1_150);
    acknowledged.count();
    RoomSum sum = counters.flush(BEGIN + 1_150).get(0);

    assertThat(sum.producer()).isEqualTo(acknowledged.mark().producer());
    assertThat(sum.slot()).isEqualTo(acknowledged.mark().slot());
    assertThat(sum.ageMillis()).isEqualTo(1_150);
    int index = (int) (acknowledged.mark().tenth() - sum.slot() * RoomSum.TENTHS);
    assertThat(sum.cells().get(0).counts().get(index)).isEqualTo(1);
    assertThat(sum.cells().get(0).total()).isEqualTo(1);
  }

  @Test
  void what_is_logged_and_what_is_not_have_different_producers() {
    EdgeCounters counters = counters(10);
    at(counters, BEGIN);
    counters.count("lobby", EventKind.MESSAGE, null, null);
    EdgeCounters.Place place = counters.reserve("lobby", EventKind.MESSAGE, null, null);
    place.count();

    assertThat(counters.flush(BEGIN)).extracting(RoomSum::producer).doesNotHaveDuplicates();
  }

  @Test
  void a_million_invented_rooms_cost_no_more_than_allowed() {
    EdgeCounters counters = counters(1_000);
    at(counters, now);
    for (int i = 0; i < 1_000_000; i++) {
      counters.count("invented-" + i, EventKind.FETCH, null, null);
    }

    assertThat(counters.rooms()).isEqualTo(1_000);
    assertThat(counters.shed()).isEqualTo(999_000);
    assertThat(counters.reserve("one-more", EventKind.MESSAGE, null, null)).isNull();
    assertThat(counters.count("invented-7", EventKind.FETCH, null, null)).isTrue();
    pass(counters, 50);
    assertThat(owner.total(EventKind.FETCH)).isEqualTo(1_001);
    pass(counters, 3_200);
    assertThat(counters.rooms()).isZero();
    assertThat(counters.count("lobby", EventKind.FETCH, null, null)).isTrue();
  }

  @Test
  void many_threads_do_not_get_more_rooms_than_allowed() throws Exception {
    EdgeCounters counters = counters(100);
    CountDownLatch go = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      String name = "r" + t + "-";
      Thread thread =
          new Thread(
              () -> {
                awaitQuietly(go);
                for (int i = 0; i < 1_000; i++) {
                  counters.count(name + i, EventKind.FETCH, null, null);
                }
              });
      thread.start();
      threads.add(thread);
    }
    go.countDown();
    for (Thread thread : threads) {
      thread.join();
    }

    owner.take(counters.flush(now));
    assertThat(counters.rooms()).isEqualTo(100);
    assertThat(owner.total(EventKind.FETCH)).isEqualTo(100);
    assertThat(counters.shed()).isEqualTo(7_900);
  }

  @Test
  void too_many_apps_become_one_and_the_total_stays_exact() {
    EdgeCounters counters = counters(1_000);
    at(counters, now);
    for (int i = 0; i < 5_000; i++) {
      counters.count("lobby", EventKind.FETCH, "KR", "app-" + i);
    }
    assertThat(counters.reserve("lobby", EventKind.MESSAGE, "KR", "one-more")).isNull();
    List<RoomSum> sums = counters.flush(now);

    assertThat(sums).allMatch(sum -> sum.cells().size() <= RoomCountJson.MAX_CELLS);
    owner.take(sums);
    assertThat(owner.total(EventKind.FETCH)).isEqualTo(5_000);
    assertThat(owner.of("KR", RoomEvent.OTHER_APP)).isEqualTo(5_000 - 256);
  }

  @Test
  void invented_countries_and_apps_in_all_rooms_are_bounded_too() {
    EdgeCounters counters = counters(20);
    at(counters, now);
    int counted = 0;
    for (int room = 0; room < 20; room++) {
      for (char a = 'A'; a <= 'Z'; a++) {
        for (char b = 'A'; b <= 'Z'; b++) {
          counters.count("room-" + room, EventKind.FETCH, "" + a + b, "app");
          counted++;
        }
      }
    }
    List<RoomSum> sums = counters.flush(now);

    owner.take(sums);
    assertThat(owner.total(EventKind.FETCH)).isEqualTo(counted);
    assertThat(sums.stream().mapToInt(sum -> sum.cells().size()).sum())
        .isLessThanOrEqualTo(20 * 16 + 512 + 20);
    pass(counters, 3_200);
    counters.count("lobby", EventKind.FETCH, "KR", "ios");
    pass(counters, 50);
    assertThat(owner.of("KR", "ios")).as("room for cells is given back").isEqualTo(1);
  }

  @Test
  void a_room_that_gathers_its_part_wakes_the_flusher_once_until_it_is_flushed() {
    EdgeCounters counters =
        new EdgeCounters("e", 10, room -> room.equals("small") ? 5 : 1_000, this::wake);
    at(counters, now);
    for (int i = 0; i < 4; i++) {
      counters.count("small", EventKind.FETCH, null, null);
    }
    assertThat(woken).hasValue(0);
    for (int i = 0; i < 100; i++) {
      counters.count("small", EventKind.FETCH, null, null);
    }
    counters.count("other", EventKind.FETCH, null, null);
    assertThat(woken).hasValue(1);

    List<RoomSum> sums = counters.flushUrgent(now);
    assertThat(sums).extracting(RoomSum::roomId).containsExactly("small");
    assertThat(sums.get(0).cells().get(0).total()).isEqualTo(104);
    assertThat(counters.flushUrgent(now)).isEmpty();
    for (int i = 0; i < 5; i++) {
      counters.count("small", EventKind.FETCH, null, null);
    }
    assertThat(woken).hasValue(2);
  }

  @Test
  void a_large_room_wakes_about_when_it_should() {
    EdgeCounters counters = new EdgeCounters("e", 10, room -> 10_000, this::wake);
    at(counters, now);
    int counted = 0;
    while (woken.get() == 0) {
      counters.count("large", EventKind.FETCH, null, null);
      counted++;
    }

    assertThat(counted).isBetween(5_000, 20_000);
  }

  private void wake() {
    woken.incrementAndGet();
  }

  private EdgeCounters counters(int maxRooms) {
    return new EdgeCounters("edge-1", maxRooms, room -> NEVER_EARLY, this::wake);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void count(EdgeCounters counters, String roomId, int events) {
    at(counters, now);
    for (int i = 0; i < events; i++) {
      counters.count(roomId, EventKind.FETCH, null, null);
    }
  }

  private void at(EdgeCounters counters, long millis) {
    now = millis;
    counters.tick(millis);
  }

  /** Lets time pass in steps of 50 ms, each with a flush. */
  private void pass(EdgeCounters counters, long millis) {
    for (long passed = 0; passed < millis; passed += 50) {
      at(counters, now + 50);
      owner.take(counters.flush(now));
    }
  }

  /** Adds up sums as the owner of their partition does: the greater one of each tenth counts. */
  private static final class Owner {
    private final Map<Key, Long> counts = new HashMap<>();
    private final Set<String> producers = new HashSet<>();
    private int backwards;

    private record Key(
        String producer, long tenth, EventKind kind, String country, String app, String room) {}

    synchronized void take(List<RoomSum> sums) {
      for (RoomSum sum : sums) {
        producers.add(sum.producer());
        for (RoomSum.Cell cell : sum.cells()) {
          for (int i = 0; i < cell.counts().size(); i++) {
            Key key =
                new Key(
                    sum.producer(),
                    sum.slot() * RoomSum.TENTHS + i,
                    cell.kind(),
                    cell.country(),
                    cell.app(),
                    sum.roomId());
            long count = cell.counts().get(i);
            long before = counts.merge(key, count, Math::max);
            backwards += before > count ? 1 : 0;
          }
        }
      }
    }

    synchronized long total(EventKind kind) {
      return counts.entrySet().stream()
          .filter(count -> count.getKey().kind() == kind)
          .mapToLong(Map.Entry::getValue)
          .sum();
    }

    synchronized long of(String country, String app) {
      return counts.entrySet().stream()
          .filter(count -> country.equals(count.getKey().country()))
          .filter(count -> app.equals(count.getKey().app()))
          .mapToLong(Map.Entry::getValue)
          .sum();
    }

    synchronized long of(SumMark mark, EventKind kind) {
      return counts.entrySet().stream()
          .filter(count -> count.getKey().producer().equals(mark.producer()))
          .filter(count -> count.getKey().tenth() == mark.tenth())
          .filter(count -> count.getKey().kind() == kind)
          .mapToLong(Map.Entry::getValue)
          .sum();
    }

    /** Counts that were less than before. */
    synchronized int backwards() {
      return backwards;
    }

    synchronized Set<String> producers() {
      return producers;
    }
  }
}
