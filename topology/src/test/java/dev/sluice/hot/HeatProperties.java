package dev.sluice.hot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.RoomSum;
import dev.sluice.query.RoomHeat;
import dev.sluice.settings.SettingKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** Whatever becomes of the sums on their way, each event counts once, and in its place. */
class HeatProperties {
  private static final long START = 1_796_000_000_000L;
  private static final String ROOM = "lobby";
  private static final List<String> COUNTRIES = List.of("KR", "US", "FR");

  /**
   * @param edge who counted them
   * @param at milliseconds after the start
   */
  record Burst(int edge, EventKind kind, int country, int at, int events) {}

  @Property(tries = 300)
  void sumsThatAreRepeatedOvertakenAndRestoredCountEachEventOnce(
      @ForAll("bursts") @Size(max = 60) List<Burst> bursts, @ForAll long seed) {
    Random order = new Random(seed);
    List<FakeEdge> edges = List.of(new FakeEdge("a"), new FakeEdge("b", 777), new FakeEdge("c"));
    HotRules rules = new HotSettings().set(SettingKey.HOT_WINDOW, "\"5s\"").rules();
    KeptHeat kept = new KeptHeat();
    HeatPartition heat = partition(rules);
    List<RoomSum> sent = new ArrayList<>();
    long end = START + 4_000;
    for (Burst burst : bursts) {
      edges
          .get(burst.edge())
          .count(
              ROOM,
              burst.kind(),
              COUNTRIES.get(burst.country()),
              null,
              START + burst.at(),
              burst.events());
      sent.addAll(edges.get(burst.edge()).sums(ROOM, end));
    }
    for (int i = 0; i < sent.size() * 2; i++) {
      heat.apply(sent.get(order.nextInt(sent.size())), end, end);
      if (order.nextInt(20) == 0) {
        heat.drainTo(kept);
      }
      if (order.nextInt(20) == 0) {
        // A crash: what wasn't written is lost, and told again.
        heat = partition(rules);
        kept.restoreTo(heat, end);
      }
    }
    for (RoomSum sum : sent) {
      heat.apply(sum, end, end);
    }

    assertThat(heat.room(ROOM, end).rate())
        .isEqualTo(bursts.stream().mapToLong(Burst::events).sum());
    for (int country = 0; country < COUNTRIES.size(); country++) {
      int one = country;
      long expected =
          bursts.stream().filter(b -> b.country() == one).mapToLong(Burst::events).sum();
      RoomHeat.Slice slice = heat.room(ROOM, end).byCountry().get(COUNTRIES.get(one));
      assertThat(slice == null ? 0 : slice.rate()).isEqualTo(expected);
    }
    assertThat(heat.late() + heat.ahead() + heat.beyond()).isZero();
  }

  @Property(tries = 300)
  void theWindowHoldsJustWhatHappenedInIt(@ForAll("bursts") @Size(max = 60) List<Burst> bursts) {
    FakeEdge edge = new FakeEdge("a");
    HotRules rules = new HotSettings().set(SettingKey.HOT_WINDOW, "\"2s\"").rules();
    HeatPartition heat = partition(rules);
    List<Burst> inOrder = new ArrayList<>(bursts);
    inOrder.sort(Comparator.comparingInt(Burst::at));
    for (Burst burst : inOrder) {
      edge.count(ROOM, burst.kind(), null, null, START + burst.at(), burst.events());
    }
    for (long at = START; at < START + 7_000; at += 100) {
      long now = at;
      edge.sums(ROOM, now).stream()
          .filter(sum -> sum.ageMillis() >= 0)
          .forEach(sum -> heat.apply(sum, now, now));
      long expected =
          inOrder.stream()
              .filter(b -> tenth(START + b.at()) <= tenth(now))
              .filter(b -> tenth(START + b.at()) > tenth(now) - 20)
              .mapToLong(Burst::events)
              .sum();
      assertThat(heat.room(ROOM, now).rate()).isEqualTo(expected);
      heat.tick(now);
    }
  }

  private static long tenth(long millis) {
    return Math.floorDiv(millis, 100L);
  }

  private static HeatPartition partition(HotRules rules) {
    HeatPartition heat = new HeatPartition(100, decision -> {});
    heat.judgeBy(rules, START);
    return heat;
  }

  @Provide
  Arbitrary<List<Burst>> bursts() {
    return Combinators.combine(
            Arbitraries.integers().between(0, 2),
            Arbitraries.of(EventKind.class),
            Arbitraries.integers().between(0, 2),
            Arbitraries.integers().between(0, 3_200),
            Arbitraries.integers().between(1, 50))
        .as(Burst::new)
        .list()
        .ofMinSize(1);
  }
}
