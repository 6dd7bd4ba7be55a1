package dev.sluice.rooms;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.query.FeedPage;
import dev.sluice.query.FeedPage.FeedEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class FeedProperties {
  private static final long NOON = 1_800_000_000_000L;
  private static final Feed.Limits TEN_FOR_A_MINUTE = new Feed.Limits(10, 60_000);

  private record Said(String room, long at, String text) {
    byte[] value() {
      return text.getBytes(UTF_8);
    }
  }

  @Property(tries = 300)
  void theNewestAreKeptWhateverHappens(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 300) int length) {
    Random random = new Random(seed);
    List<Said> log = new ArrayList<>();
    long at = NOON;
    for (int i = 0; i < length; i++) {
      at += random.nextInt(30) == 0 ? random.nextInt(100_000) : random.nextInt(3_000);
      log.add(new Said("room" + random.nextInt(3), at, "event " + i));
    }
    CrashingRows rows = new CrashingRows();
    Feed feed = new Feed(rows, room -> TEN_FOR_A_MINUTE);
    int committed = 0;
    int crashes = 0;
    for (int offset = 0; offset < length; offset++) {
      Said said = log.get(offset);
      feed.at(said.at());
      feed.add(said.room(), offset, said.at(), said.value());
      int chance = random.nextInt(20);
      if (chance == 0 && crashes < 20) {
        crashes++;
        if (random.nextBoolean()) {
          feed.write();
        }
        rows.crashMixed(random);
        feed = new Feed(rows, room -> TEN_FOR_A_MINUTE);
        feed.at(log.get(Math.max(0, committed - 1)).at());
        offset = committed - 1;
      } else if (chance < 4) {
        feed.write();
        rows.commit();
        committed = offset + 1;
      }
    }
    if (random.nextBoolean()) {
      feed.write();
    }
    for (int room = 0; room < 3; room++) {
      assertPagesAre(feed, "room" + room, kept(log, "room" + room, at), random);
    }
  }

  private static List<FeedEvent> kept(List<Said> log, String room, long now) {
    List<FeedEvent> all = new ArrayList<>();
    for (int offset = 0; offset < log.size(); offset++) {
      Said said = log.get(offset);
      if (said.room().equals(room) && said.at() >= now - TEN_FOR_A_MINUTE.millis()) {
        all.add(new FeedEvent(offset, said.at(), said.value()));
      }
    }
    return all.subList(Math.max(0, all.size() - TEN_FOR_A_MINUTE.events()), all.size());
  }

  private static void assertPagesAre(Feed feed, String room, List<FeedEvent> kept, Random random) {
    long cursor = -1;
    List<String> read = new ArrayList<>();
    boolean more = true;
    while (more) {
      FeedPage page = feed.page(room, cursor, 1 + random.nextInt(4));
      page.events().forEach(event -> read.add(event.cursor() + new String(event.value(), UTF_8)));
      cursor = page.cursor();
      more = page.more();
    }
    assertThat(read)
        .isEqualTo(
            kept.stream().map(event -> event.cursor() + new String(event.value(), UTF_8)).toList());
    assertThat(cursor).isEqualTo(kept.isEmpty() ? -1 : kept.get(kept.size() - 1).cursor());
  }

  @Example
  void aPageOfNothingStandsWhereItsReaderStood() {
    Feed feed = new Feed(new CrashingRows(), room -> TEN_FOR_A_MINUTE);
    feed.at(NOON);
    assertThat(feed.page("lobby", -1, 10)).isEqualTo(new FeedPage(List.of(), -1, false));
    assertThat(feed.page("lobby", 7, 10)).isEqualTo(new FeedPage(List.of(), 7, false));
    feed.add("lobby", 3, NOON, new byte[] {1});
    assertThat(feed.page("lobby", -1, 0)).isEqualTo(new FeedPage(List.of(), 3, false));
    assertThat(feed.page("lobby", 3, 5)).isEqualTo(new FeedPage(List.of(), 3, false));
  }

  @Example
  void aRoomKeepsAMebibyteAtMost() {
    CrashingRows rows = new CrashingRows();
    Feed feed = new Feed(rows, room -> new Feed.Limits(100_000, 60_000));
    feed.at(NOON);
    for (int offset = 0; offset < 500; offset++) {
      feed.add("lobby", offset, NOON, new byte[10_000]);
    }
    assertThat(feed.page("lobby", -1, 1_000).events()).hasSize(Feed.MAX_BYTES / 10_000);
    feed.write();
    assertThat(feed.page("lobby", -1, 1_000).events()).hasSize(Feed.MAX_BYTES / 10_000);
    assertThat(rows.size()).isLessThan(Feed.MAX_BYTES / 10_000 + 5);
  }

  @Example
  void inventedRoomsGrowNeitherTheHeapNorForEverTheStore() {
    CrashingRows rows = new CrashingRows();
    Feed feed = new Feed(rows, room -> TEN_FOR_A_MINUTE);
    long at = NOON;
    int most = 0;
    for (int offset = 0; offset < 100_000; offset++) {
      feed.at(at);
      feed.add("invented" + offset, offset, at, new byte[10]);
      if (offset % 1_000 == 999) {
        at += 4_000;
        // As often as in four seconds.
        for (int write = 0; write < 8; write++) {
          feed.write();
        }
        rows.commit();
        most = Math.max(most, rows.size());
        assertThat(feed.knownInHeap()).isLessThan(5_000);
      }
    }
    assertThat(most).isLessThan(3 * 25_000);
    feed.at(at + 120_000);
    for (int i = 0; i < 100; i++) {
      feed.write();
    }
    assertThat(rows.size()).as("how far it has swept").isEqualTo(1);
  }
}
