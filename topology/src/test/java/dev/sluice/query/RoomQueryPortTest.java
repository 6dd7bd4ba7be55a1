package dev.sluice.query;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sluice.contract.Audience;
import dev.sluice.contract.EventKind;
import dev.sluice.contract.Membership;
import dev.sluice.contract.RoomSum;
import dev.sluice.hot.HeatPartition;
import dev.sluice.hot.HeatReader;
import dev.sluice.hot.HotRules;
import dev.sluice.query.FeedPage.FeedEvent;
import dev.sluice.query.HeatSystem.PartitionHeat;
import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.rooms.Feed;
import dev.sluice.rooms.KeptRows;
import dev.sluice.rooms.Members;
import dev.sluice.settings.SettingsView;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RoomQueryPortTest {
  private static final String TOKEN = "shared";
  private static final Duration SOON = Duration.ofSeconds(5);
  private static final long NOON = 1_800_000_000_000L;

  private final OwnedLogs<OwnedPart<Feed>> feeds = new OwnedLogs<>();
  private final OwnedLogs<OwnedPart<Members>> members = new OwnedLogs<>();
  private final OwnedLogs<OwnedPart<HeatReader>> heats = new OwnedLogs<>();
  private final Feed feed = new Feed(new Rows(), room -> new Feed.Limits(10, 60_000));
  private final Members people = new Members(new Rows());
  private final OwnedPart<Feed> ownedFeed = new OwnedPart<>(0, feed, 100, Runnable::run);
  private final OwnedPart<Members> ownedMembers = new OwnedPart<>(0, people, 100, Runnable::run);
  private QueryServer server;
  private Address address;
  private RoutedRoomQueries here;
  private String room;

  @BeforeEach
  void start() throws IOException {
    feeds.opened(ownedFeed);
    members.opened(ownedMembers);
    server =
        new QueryServer(
            "127.0.0.1",
            0,
            TOKEN,
            new LocalQueries(new OwnedPartitions(), 2, SOON, () -> NOON),
            new LocalRoomQueries(feeds, members, heats, 2, SOON),
            Map.of(
                OwnedKind.ROOMS, () -> Map.of(0, address),
                OwnedKind.HEAT, () -> Map.of(1, address)));
    server.start();
    address = new Address("127.0.0.1", server.port());
    QueryClient client = new QueryClient(TOKEN, SOON);
    here =
        new RoutedRoomQueries(
            LocalRoomQueries.none(2, Duration.ofSeconds(2)),
            new PeerOwners(client, OwnedKind.ROOMS, List.of(address)),
            new PeerOwners(client, OwnedKind.HEAT, List.of(address)),
            client);
    room = roomIn(0);
    feed.at(NOON);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void aPageOfTheFeedComesAsItIsThere() {
    ownedFeed.logSeen(0, 0);
    for (int offset = 0; offset < 3; offset++) {
      feed.add(room, offset, NOON, ("said " + offset).getBytes(UTF_8));
      ownedFeed.applied(offset);
    }

    FeedPage page = here.feed(room, 0, 2, 1).join();

    assertThat(page.cursor()).isEqualTo(1);
    assertThat(page.more()).isTrue();
    FeedEvent event = page.events().get(0);
    assertThat(event.at()).isEqualTo(NOON);
    assertThat(event.value()).asString(UTF_8).isEqualTo("said 1");
  }

  @Test
  void nothingIsAnsweredBeforeTheLogIsCaughtUpWith() {
    CompletableFuture<Long> early = here.members(room);
    people.apply(new Membership(room, "ann", true, null, null));
    ownedMembers.applied(6);
    ownedMembers.logSeen(0, 8);
    assertThat(early).isNotDone();
    ownedMembers.applied(7);
    assertThat(early.join()).isEqualTo(1);
  }

  @Test
  void whatWasAppliedBeforeTheTakeoverNeedNotComeAgain() {
    ownedMembers.logSeen(8, 8);
    assertThat(here.members(room).join()).isZero();
    assertThat(ownedMembers.applied()).isEqualTo(7);
  }

  @Test
  void whoWaitsForAnOffsetThatHoldsNoRecordIsAnsweredByTheNext() {
    ownedFeed.logSeen(0, 0);
    CompletableFuture<FeedPage> waiting =
        new LocalRoomQueries(feeds, members, heats, 2, SOON).feed(room, 4, -1, 10);
    ownedFeed.applied(3);
    assertThat(waiting).isNotDone();
    ownedFeed.applied(5);
    assertThat(waiting.join().cursor()).isEqualTo(4);
  }

  @Test
  void aReaderAheadOfTheLogIsToldSo() {
    ownedFeed.logSeen(0, 0);
    CompletableFuture<FeedPage> ahead = here.feed(room, 1_000, -1, 10);
    await()
        .until(
            () -> {
              feeds.expireWaiters(System.nanoTime() + SOON.toNanos());
              return ahead.isDone();
            });
    assertThat(kindOf(ahead)).isEqualTo(Kind.BEHIND);
  }

  @Test
  void heatComesAsItIsThereAndPartitionsWithoutOwnerAreSaidToBeSo() {
    String hot = roomIn(1);
    HeatPartition counted = new HeatPartition(10, decision -> {});
    counted.judgeBy(new HotRules(SettingsView.EMPTY), NOON);
    counted.apply(new Audience(hot, "notifier", 412), NOON, NOON);
    RoomSum.Cell cell = new RoomSum.Cell(EventKind.MESSAGE, "KR", "ios", List.of(9_000L));
    counted.apply(new RoomSum(hot, "edge", 1, 0, List.of(cell)), NOON - 5, NOON);
    HeatReader reader = new HeatReader(counted, new ReentrantLock(), () -> NOON);
    OwnedPart<HeatReader> owned = new OwnedPart<>(1, reader, 100, Runnable::run);
    owned.logSeen(0, 2);
    owned.applied(1);
    heats.opened(owned);

    RoomHeat heat = here.heat(hot).join();
    assertThat(heat).isEqualTo(reader.room(hot));
    assertThat(heat.verdict().rate()).isEqualTo(9_000);
    assertThat(heat.audience()).isEqualTo(412);
    HeatSystem system = here.heatSystem().join();
    assertThat(system.rooms()).containsExactly(heat);
    assertThat(system.partitions())
        .containsExactly(
            new PartitionHeat(0, PartitionStatus.UNOWNED, null, 0, -1, 0, 0, 0, 0, List.of()),
            new PartitionHeat(
                1, PartitionStatus.READY, address.toString(), 0, -1, 1, 0, 0, 0, List.of(5L)));
    assertThat(kindOf(here.hot())).as("a partition has no owner").isEqualTo(Kind.MOVING);
  }

  private String roomIn(int partition) {
    for (int i = 0; ; i++) {
      if (here.partitionOf("room" + i) == partition) {
        return "room" + i;
      }
    }
  }

  private static Kind kindOf(CompletableFuture<?> refused) {
    Throwable failure = refused.handle((answer, why) -> why).join();
    return ((QueryException) Routing.cause(failure)).kind();
  }

  /** In memory. */
  private static final class Rows implements KeptRows {
    private final TreeMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);

    @Override
    public byte[] get(byte[] key) {
      return rows.get(key);
    }

    @Override
    public void put(byte[] key, byte[] value) {
      rows.put(key, value);
    }

    @Override
    public void delete(byte[] key) {
      rows.remove(key);
    }

    @Override
    public void scan(byte[] from, byte[] to, Visitor visitor) {
      for (Map.Entry<byte[], byte[]> row : new TreeMap<>(rows.subMap(from, to)).entrySet()) {
        if (!visitor.visit(row.getKey(), row.getValue())) {
          return;
        }
      }
    }
  }
}
