package dev.sluice.rooms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.Membership;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class MembersProperties {
  @Property(tries = 500)
  void theCountsAreThoseOfTheLogWhateverHappens(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 200) int length) {
    Random random = new Random(seed);
    List<Membership> log = new ArrayList<>();
    for (int i = 0; i < length; i++) {
      log.add(
          new Membership(
              "room" + random.nextInt(3),
              "user" + random.nextInt(8),
              random.nextInt(3) > 0,
              null,
              null));
    }
    CrashingRows rows = new CrashingRows();
    Members members = new Members(rows);
    int committed = 0;
    int crashes = 0;
    for (int offset = 0; offset < length; offset++) {
      members.apply(log.get(offset));
      int chance = random.nextInt(20);
      if (chance == 0 && crashes < 20) {
        crashes++;
        rows.crashToPrefix(random);
        members = new Members(rows);
        offset = committed - 1;
      } else if (chance == 1) {
        rows.commit();
        committed = offset + 1;
        members.close();
        if (random.nextBoolean()) {
          // The end itself may be lost.
          rows.crashToPrefix(random);
        }
        members = new Members(rows);
      } else if (chance < 4) {
        rows.commit();
        committed = offset + 1;
      }
    }

    Map<String, Set<String>> in = new HashMap<>();
    for (Membership membership : log) {
      Set<String> people = in.computeIfAbsent(membership.roomId(), room -> new HashSet<>());
      if (membership.joins()) {
        people.add(membership.userId());
      } else {
        people.remove(membership.userId());
      }
    }
    for (int room = 0; room < 3; room++) {
      assertThat(members.count("room" + room))
          .isEqualTo(in.getOrDefault("room" + room, Set.of()).size());
    }
  }

  @Property(tries = 20)
  void anEndThatIsWrittenLateIsNotTrusted(@ForAll @IntRange(min = 1, max = 5) int people) {
    CrashingRows rows = new CrashingRows();
    Members before = new Members(rows);
    Members after = new Members(rows);
    for (int i = 0; i < people; i++) {
      after.apply(new Membership("lobby", "user" + i, true, null, null));
    }
    rows.delete(RowKeys.of(RowKeys.MEMBERS, "lobby").end());
    before.close();

    assertThat(new Members(rows).count("lobby")).isEqualTo(people);
  }

  @Property(tries = 20)
  void aCleanEndSparesTheCounting(@ForAll @IntRange(min = 1, max = 5) int people) {
    CrashingRows rows = new CrashingRows();
    Members before = new Members(rows);
    for (int i = 0; i < people; i++) {
      before.apply(new Membership("lobby", "user" + i, true, null, null));
    }
    assertThat(new Members(rows).countedAnew()).isTrue();
    Members last = new Members(rows);
    last.close();

    Members after = new Members(rows);

    assertThat(after.countedAnew()).isFalse();
    assertThat(after.count("lobby")).isEqualTo(people);
  }
}
