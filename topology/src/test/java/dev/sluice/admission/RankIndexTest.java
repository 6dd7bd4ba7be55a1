package dev.sluice.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class RankIndexTest {
  @Example
  void anEmptyIndexHasNoFirstAndRanksEveryoneFirst() {
    RankIndex empty = RankIndex.empty();

    assertThat(empty.size()).isZero();
    assertThat(empty.first()).isEqualTo(RankIndex.NONE);
    assertThat(empty.rank(1)).isEqualTo(1);
    assertThat(empty.rank(1L << 40)).isEqualTo(1);
    assertThat(empty.contains(5)).isFalse();
    assertThat(empty.leaf(0)).isNull();
  }

  @Example
  void rankIsOneMoreThanTheMembersBelow() {
    RankIndex index = RankIndex.empty().with(10).with(4096).with(5000).with(300_000);

    assertThat(index.rank(10)).isEqualTo(1);
    assertThat(index.rank(4096)).isEqualTo(2);
    assertThat(index.rank(5000)).isEqualTo(3);
    assertThat(index.rank(5001)).isEqualTo(4);
    assertThat(index.rank(300_000)).isEqualTo(4);
    assertThat(index.rank(Long.MAX_VALUE)).isEqualTo(5);
  }

  @Example
  void anOlderVersionIsUntouchedByLaterChanges() {
    RankIndex before = RankIndex.empty().with(1).with(2).with(3);

    RankIndex after = before.without(2).with(4);

    assertThat(members(before)).containsExactly(1L, 2L, 3L);
    assertThat(members(after)).containsExactly(1L, 3L, 4L);
  }

  @Example
  void ticketsStartAtOne() {
    assertThatThrownBy(() -> RankIndex.empty().with(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RankIndex.empty().with(-7))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Example
  void aLeafIsACopy() {
    RankIndex index = RankIndex.empty().with(70);

    index.leaf(0)[1] = 0;

    assertThat(index.leaf(0)[1]).isEqualTo(1L << 6);
    assertThatThrownBy(() -> index.withLeaf(0, new long[3]))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Example
  void aLeafReplacesAllOfIt() {
    RankIndex index = RankIndex.empty().with(1).with(2).with(9000);

    assertThat(members(index.withLeaf(0, leafOf(3)))).containsExactly(3L, 9000L);
    assertThat(members(index.withLeaf(0, new long[64]))).containsExactly(9000L);
    assertThat(index.withLeaf(0, new long[64]).withLeaf(2, new long[64]).isEmpty()).isTrue();
  }

  /** Steps far apart make the tree grow; steps close together fill its leaves. */
  @Property(tries = 200)
  void agreesWithASortedSet(
      @ForAll @Size(min = 1, max = 300) List<@IntRange(min = -40, max = 40) Integer> steps,
      @ForAll long seed) {
    Random random = new Random(seed);
    NavigableSet<Long> model = new TreeSet<>();
    RankIndex index = RankIndex.empty();
    for (int step : steps) {
      if (step >= 0 || model.isEmpty()) {
        long ticket = 1 + (random.nextLong() >>> (24 + Math.min(39, Math.abs(step))));
        model.add(ticket);
        index = index.with(ticket);
      } else {
        long near = model.first() + random.nextInt(1 << Math.min(30, -step));
        Long ticket = model.ceiling(near);
        index = index.without(ticket == null ? near : ticket);
        model.remove(ticket == null ? near : ticket);
      }
      long probe = 1 + (random.nextLong() >>> (24 + random.nextInt(39)));
      assertAgree(index, model, probe);
    }
    assertThat(members(index)).containsExactlyElementsOf(model);
    assertThat(members(rebuilt(index))).containsExactlyElementsOf(model);
  }

  private static void assertAgree(RankIndex index, NavigableSet<Long> model, long probe) {
    assertThat(index.size()).isEqualTo(model.size());
    assertThat(index.first()).isEqualTo(model.isEmpty() ? RankIndex.NONE : model.first());
    assertThat(index.rank(probe)).isEqualTo(1 + model.headSet(probe).size());
    assertThat(index.contains(probe)).isEqualTo(model.contains(probe));
    Long next = model.ceiling(probe);
    assertThat(index.nextAtOrAfter(probe)).isEqualTo(next == null ? RankIndex.NONE : next);
  }

  private static RankIndex rebuilt(RankIndex index) {
    RankIndex[] copy = {RankIndex.empty()};
    index.forEachLeaf((number, words) -> copy[0] = copy[0].withLeaf(number, words));
    return copy[0];
  }

  private static List<Long> members(RankIndex index) {
    List<Long> members = new ArrayList<>();
    for (long t = index.first(); t != RankIndex.NONE; t = index.nextAtOrAfter(t + 1)) {
      members.add(t);
    }
    return members;
  }

  private static long[] leafOf(int bit) {
    long[] words = new long[64];
    words[bit / 64] = 1L << bit;
    return words;
  }
}
