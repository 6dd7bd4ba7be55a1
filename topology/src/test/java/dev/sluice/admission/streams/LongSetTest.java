package dev.sluice.admission.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LongSetTest {
  @Test
  void saysTheSameAsASetOfTheLibrary() {
    Random random = new Random(1);
    LongSet set = new LongSet();
    Set<Long> model = new HashSet<>();
    for (int i = 0; i < 200_000; i++) {
      // Many that collide, so that removals have to move their neighbours.
      long member = 2L + (random.nextInt(3_000) << 9);
      if (random.nextInt(3) == 0) {
        set.remove(member);
        model.remove(member);
      } else {
        set.add(member);
        model.add(member);
      }
      long asked = 2L + (random.nextInt(3_000) << 9);
      assertThat(set.contains(asked)).isEqualTo(model.contains(asked));
    }
    assertThat(set.size()).isEqualTo(model.size());
  }

  @Test
  void zeroIsAMemberLikeOthers() {
    LongSet set = new LongSet();
    assertThat(set.contains(0)).isFalse();
    set.add(0);
    assertThat(set.contains(0)).isTrue();
    set.remove(0);
    assertThat(set.contains(0)).isFalse();
  }
}
