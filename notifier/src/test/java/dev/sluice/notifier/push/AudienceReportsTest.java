package dev.sluice.notifier.push;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.Audience;
import dev.sluice.notifier.routing.FeedSubscription;
import dev.sluice.notifier.routing.Outlet;
import dev.sluice.notifier.routing.RoutingTable;
import dev.sluice.notifier.routing.Subscription;
import dev.sluice.notifier.stomp.Encoded;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class AudienceReportsTest {
  private static final int PERIODS_IN_TEN_SECONDS = 100;

  private final RoutingTable table = new RoutingTable();
  private final List<Audience> written = new ArrayList<>();
  private long nanos = 1_000_000;
  private final AudienceReports reports =
      new AudienceReports("notifier-1", table, written::add, () -> nanos);

  @BeforeEach
  void begin() {
    reports.begin();
  }

  @Test
  void aChangeIsReportedAtOnceAndTheNextAfterASecond() {
    follow("r");
    run();
    assertThat(written).containsExactly(audience("r", 1));

    for (int i = 0; i < 5; i++) {
      follow("r");
      run();
    }
    assertThat(written).hasSize(1);
    run(5);
    assertThat(written).containsExactly(audience("r", 1), audience("r", 6));
  }

  @Test
  void theLastToGoIsReportedOnceAsNone() {
    FeedSubscription one = follow("r");
    run();
    table.remove(one);
    run(3 * PERIODS_IN_TEN_SECONDS);

    assertThat(written).containsExactly(audience("r", 1), audience("r", 0));
  }

  @Test
  void whoComesAndGoesUnnoticedIsNotReported() {
    table.remove(follow("r"));
    run(2 * PERIODS_IN_TEN_SECONDS);

    assertThat(written).isEmpty();
  }

  @Test
  void aRoomThatIsLeftAndFollowedAgainIsReportedAtMostOnceASecond() {
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      table.remove(follow("r"));
      FeedSubscription stays = follow("r");
      int before = written.size();
      run();
      if (written.size() > before) {
        times.add(nanos);
      }
      table.remove(stays);
    }

    assertThat(times).hasSizeGreaterThan(1);
    for (int i = 1; i < times.size(); i++) {
      assertThat(times.get(i) - times.get(i - 1))
          .isGreaterThanOrEqualTo(Duration.ofSeconds(1).toNanos());
    }
  }

  @Test
  void allRoomsAreReportedAgainEveryTenSecondsSpreadOut() {
    for (int i = 0; i < 1_000; i++) {
      follow("room-" + i);
    }
    run();
    assertThat(written).hasSize(1_000);
    run(PERIODS_IN_TEN_SECONDS);
    written.clear();

    Map<String, Integer> perRoom = new HashMap<>();
    int most = 0;
    for (int i = 0; i < 3 * PERIODS_IN_TEN_SECONDS; i++) {
      run();
      most = Math.max(most, written.size());
      written.forEach(audience -> perRoom.merge(audience.roomId(), 1, Integer::sum));
      written.clear();
    }

    assertThat(perRoom).hasSize(1_000);
    assertThat(perRoom.values()).containsOnly(3);
    assertThat(most).isLessThan(100);
  }

  @Test
  void atTheEndNobodyIsLeft() {
    follow("a");
    table.remove(follow("b"));
    run();
    reports.end();

    assertThat(written).containsExactly(audience("a", 1), audience("a", 0));
  }

  private void run(int times) {
    for (int i = 0; i < times; i++) {
      run();
    }
  }

  private void run() {
    nanos += AudienceReports.PERIOD.toNanos();
    reports.run();
  }

  private FeedSubscription follow(String roomId) {
    FeedSubscription subscription =
        new FeedSubscription(new Nowhere(), "0", "/topic/room/" + roomId, roomId);
    table.add(subscription);
    return subscription;
  }

  private static Audience audience(String roomId, int subscribers) {
    return new Audience(roomId, "notifier-1", subscribers);
  }

  /** A connection of which nobody hears. */
  private static final class Nowhere implements Outlet {
    @Override
    public void mustDeliver(Subscription subscription, Encoded body) {}

    @Override
    public void lastValue(Subscription subscription, Object key, Encoded body) {}

    @Override
    public void control(Subscription subscription, Encoded body) {}

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
