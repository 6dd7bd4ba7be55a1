package dev.sluice.api.rooms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sluice.api.InMemoryRooms;
import dev.sluice.hot.edge.EdgeCounters;
import dev.sluice.query.QueryException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FetchesTest {
  private final InMemoryRooms rooms = new InMemoryRooms();
  private final ScheduledExecutorService pool = new ScheduledThreadPoolExecutor(2);
  private final Fetches fetches =
      new Fetches(
          rooms,
          rooms,
          rooms,
          new Fetches.Limits(Duration.ofMillis(50), 10_000),
          new RoomMeters(new SimpleMeterRegistry(), new EdgeCounters("e", 1, room -> 1, () -> {})),
          pool);

  @AfterEach
  void stop() {
    pool.shutdownNow();
  }

  @Test
  void a_room_that_nobody_reads_any_more_is_forgotten_hot_or_cold() {
    rooms.makeHot("hot");
    List<CompletableFuture<byte[]>> answers = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      answers.add(fetches.fetch("invented-" + i, -1, -1, 10));
      answers.add(fetches.fetch("hot", -1, -1, 10));
    }
    answers.forEach(CompletableFuture::join);

    await().until(() -> fetches.rooms() == 0);
  }

  @Test
  void a_room_that_cools_while_it_is_waited_for_is_read() {
    rooms.makeHot("hot");
    fetches.fetch("hot", -1, -1, 10).join();
    CompletableFuture<byte[]> waits = fetches.fetch("hot", -1, -1, 10);
    rooms.judge("hot", null);

    assertThat(waits.join()).isNotEmpty();
    await().until(() -> fetches.rooms() == 0);
  }

  @Test
  void a_shared_feed_that_does_not_answer_is_not_waited_for() {
    Fetches stalled =
        new Fetches(
            rooms,
            rooms,
            new SharedFeed() {
              @Override
              public CompletableFuture<Optional<Shared>> get(String room, String ticket) {
                return new CompletableFuture<>();
              }

              @Override
              public void put(String room, String ticket, Reading reading) {
                throw new IllegalStateException("away");
              }
            },
            new Fetches.Limits(Duration.ofMillis(50), 10),
            new RoomMeters(
                new SimpleMeterRegistry(), new EdgeCounters("e", 1, room -> 1, () -> {})),
            pool);
    rooms.makeHot("hot");

    assertThat(stalled.fetch("hot", -1, -1, 10)).succeedsWithin(Duration.ofSeconds(5));
  }

  @Test
  void a_cursor_that_was_waited_for_in_vain_is_refused_at_once_and_holds_up_nobody_else() {
    rooms.fail(QueryException.Kind.BEHIND);
    assertThat(fetches.fetch("lobby", -1, 1L << 50, 10)).failsWithin(Duration.ofSeconds(5));
    rooms.fail(null);

    assertThatThrownBy(() -> fetches.fetch("lobby", -1, 1L << 51, 10))
        .isInstanceOf(QueryException.class);
    assertThat(fetches.fetch("lobby", -1, -1, 10)).succeedsWithin(Duration.ofSeconds(5));
    await().until(() -> fetches.rooms() == 0);
  }

  @Test
  void a_reading_that_fails_fails_those_it_was_for_and_leaves_nothing() {
    rooms.fail(QueryException.Kind.MOVING);
    CompletableFuture<byte[]> failed = fetches.fetch("lobby", -1, -1, 10);

    assertThat(failed).failsWithin(Duration.ofSeconds(5));
    rooms.fail(null);
    assertThat(fetches.fetch("lobby", -1, -1, 10)).succeedsWithin(Duration.ofSeconds(5));
    await().until(() -> fetches.rooms() == 0);
  }
}
