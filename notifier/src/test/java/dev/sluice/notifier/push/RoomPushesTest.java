package dev.sluice.notifier.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.contract.HotVerdict;
import dev.sluice.hot.HotRooms;
import dev.sluice.identity.PassKey;
import dev.sluice.identity.Passes;
import dev.sluice.notifier.FakeFeeds;
import dev.sluice.notifier.routing.FeedSubscription;
import dev.sluice.notifier.routing.Outlet;
import dev.sluice.notifier.routing.RoutingTable;
import dev.sluice.notifier.routing.Subscription;
import dev.sluice.notifier.stomp.Encoded;
import dev.sluice.settings.SettingKey;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pushes with everything going on at once. */
final class RoomPushesTest {
  private static final int ROOMS = 3;
  private static final int EVENTS = 5_000;

  private final FakeFeeds feeds = new FakeFeeds();
  private final RoutingTable table = new RoutingTable();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final ExecutorService workers = Executors.newFixedThreadPool(2);
  private final ExecutorService actors = Executors.newCachedThreadPool();
  private final RoomPushes pushes =
      new RoomPushes(
          table,
          stumbling(feeds.sources()),
          new Bodies(new Passes(PassKey.generate()), Clock.systemUTC()),
          timer,
          workers,
          System::nanoTime,
          () -> ThreadLocalRandom.current().nextDouble());

  @BeforeEach
  void begin() {
    pushes.begin();
    var unused = feeds.sources().events().follow(table::isFollowed, pushes);
  }

  @AfterEach
  void stop() {
    actors.shutdownNow();
    timer.shutdownNow();
    workers.shutdownNow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"INTERVAL\"", "\"PROBABILITY\""})
  void whoeverFollowsHearsTheLastInTheEndAndNeverTheOlderAfterTheNewer(String mode)
      throws Exception {
    feeds.set(SettingKey.PUSH_HOT_MODE, mode);
    feeds.set(SettingKey.PUSH_HOT_INTERVAL, "\"50ms\"");
    CountDownLatch said = new CountDownLatch(ROOMS);
    List<Future<?>> all = new ArrayList<>();
    List<Hearer> staying = new ArrayList<>();
    for (int i = 0; i < ROOMS; i++) {
      String room = "r" + i;
      all.add(
          actors.submit(
              () -> {
                for (int event = 0; event < EVENTS; event++) {
                  feeds.say(room);
                  LockSupport.parkNanos(1_000);
                }
                said.countDown();
              }));
      all.add(
          actors.submit(
              () -> {
                while (said.getCount() > 0) {
                  Hearer passing = new Hearer();
                  FeedSubscription subscription = follow(passing, room);
                  table.remove(subscription);
                  assertThat(passing.wentBack).isFalse();
                }
              }));
      for (int j = 0; j < 5; j++) {
        Hearer hearer = new Hearer();
        staying.add(hearer);
        all.add(actors.submit(() -> follow(hearer, room)));
      }
    }
    all.add(
        actors.submit(
            () -> {
              while (said.getCount() > 0) {
                feeds.turnHot("r0", 6_000);
                feeds.turnHot("r1", 6_000);
                feeds.cool("r0");
              }
            }));
    for (Future<?> one : all) {
      one.get();
    }

    await()
        .untilAsserted(
            () ->
                assertThat(staying)
                    .allMatch(hearer -> hearer.last.contains("\"" + (EVENTS - 1) + "\"")));
    await()
        .untilAsserted(
            () ->
                assertThat(staying)
                    .allMatch(
                        hearer ->
                            hearer.last.contains(
                                "\"hot\":" + hearer.last.contains("\"roomId\":\"r1\""))));
    assertThat(staying).noneMatch(hearer -> hearer.wentBack);
    assertThat(pushes.rooms()).isEqualTo(ROOMS);
  }

  private FeedSubscription follow(Outlet outlet, String room) {
    FeedSubscription subscription = new FeedSubscription(outlet, "0", "/topic/room/" + room, room);
    table.add(subscription);
    pushes.tell(subscription);
    return subscription;
  }

  /** The same, where a thread that asks whether a room is hot is overtaken now and then. */
  private static RoomSources stumbling(RoomSources sources) {
    HotRooms hotRooms = sources.hotRooms();
    HotRooms stumbling =
        new HotRooms() {
          @Override
          public HotVerdict verdict(String roomId) {
            if (ThreadLocalRandom.current().nextInt(100) == 0) {
              LockSupport.parkNanos(1_000);
            }
            return hotRooms.verdict(roomId);
          }

          @Override
          public List<HotVerdict> all() {
            return hotRooms.all();
          }

          @Override
          public void onChange(Consumer<Change> listener) {
            hotRooms.onChange(listener);
          }
        };
    return new RoomSources(
        sources.queries(), sources.events(), stumbling, sources.settings(), sources.audiences());
  }

  /** A connection that notes whether a cursor ever went back. */
  private static final class Hearer implements Outlet {
    private volatile String last = "";
    private volatile boolean wentBack;

    @Override
    public void lastValue(Subscription subscription, Object key, Encoded body) {
      if (cursor(body.toString()) < cursor(last)) {
        wentBack = true;
      }
      last = body.toString();
    }

    private static long cursor(String body) {
      return body.isEmpty() ? -1 : Long.parseLong(body.split("\"cursor\":\"|\",\"hot", 3)[1]);
    }

    @Override
    public void mustDeliver(Subscription subscription, Encoded body) {
      throw new AssertionError(body.toString());
    }

    @Override
    public void control(Subscription subscription, Encoded body) {
      throw new AssertionError(body.toString());
    }

    @Override
    public void forget(Object key) {}

    @Override
    public boolean hasRoom() {
      return true;
    }

    @Override
    public void flush() {}
  }
}
