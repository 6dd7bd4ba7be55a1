package dev.sluice.admission.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.admission.EndedPeople;
import dev.sluice.admission.Person;
import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.Test;

class EndedStoreTest {
  private final KeyValueStore<Bytes, byte[]> store = InMemory.store();

  @Test
  void findsThemBeforeAndAfterTheyAreWrittenAndAfterARestart() {
    EndedStore ended = new EndedStore(store);
    ended.add(person("ann", 1, 1_000));
    assertThat(ended.find("film", "ann")).isEqualTo(person("ann", 1, 1_000));

    ended.write();
    assertThat(ended.find("film", "ann")).isEqualTo(person("ann", 1, 1_000));
    assertThat(ended.find("film", "bob")).isNull();
    assertThat(ended.find("opera", "ann")).isNull();

    EndedStore restarted = new EndedStore(store);
    assertThat(restarted.find("film", "ann")).isEqualTo(person("ann", 1, 1_000));
    assertThat(restarted.oldestEndedAt()).isEqualTo(1_000);
  }

  @Test
  void isReadByOtherThreads() {
    EndedStore ended = new EndedStore(store);
    ended.add(person("ann", 1, 1_000));
    ended.write();
    ended.add(person("bob", 2, 2_000));

    assertThat(CompletableFuture.supplyAsync(() -> ended.find("film", "ann")).join()).isNotNull();
    assertThat(CompletableFuture.supplyAsync(() -> ended.find("film", "bob")).join()).isNotNull();
    assertThat(CompletableFuture.supplyAsync(() -> ended.find("film", "cid")).join()).isNull();
  }

  @Test
  void forgetsInTheOrderInWhichTheyEnded() {
    EndedStore ended = new EndedStore(store);
    ended.add(person("ann", 1, 1_000));
    ended.add(person("bob", 2, 2_000));

    ended.forgetOldest();

    assertThat(ended.find("film", "ann")).isNull();
    assertThat(ended.find("film", "bob")).isNotNull();
    assertThat(ended.oldestEndedAt()).isEqualTo(2_000);
    ended.forgetOldest();
    assertThat(ended.oldestEndedAt()).isEqualTo(EndedPeople.NONE);
    assertThatThrownBy(ended::forgetOldest).isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void aLaterStayIsKeptWhenAnEarlierOneIsForgotten() {
    EndedStore ended = new EndedStore(store);
    ended.add(person("ann", 1, 1_000));
    ended.write();
    ended.add(person("ann", 7, 2_000));

    ended.forgetOldest();

    assertThat(ended.find("film", "ann")).isEqualTo(person("ann", 7, 2_000));
    ended.forgetOldest();
    assertThat(ended.find("film", "ann")).isNull();
  }

  @Test
  void saysTheSameAsAListWhateverIsAddedForgottenWrittenAndRestarted() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      KeyValueStore<Bytes, byte[]> kept = InMemory.store();
      EndedStore ended = new EndedStore(kept);
      List<Person> model = new ArrayList<>();
      long ticket = 0;
      for (int i = 0; i < 3_000; i++) {
        int what = random.nextInt(100);
        if (what < 60) {
          Person person = person("p" + random.nextInt(2_000), ++ticket, 1_000 + i);
          ended.add(person);
          model.add(person);
        } else if (what < 95 && !model.isEmpty()) {
          ended.forgetOldest();
          model.remove(0);
        } else if (what < 98) {
          ended.write();
        } else {
          ended.write();
          ended = new EndedStore(kept);
        }
        String asked = "p" + random.nextInt(2_000);
        assertThat(ended.find("film", asked))
            .as("seed %s, step %s", seed, i)
            .isEqualTo(last(model, asked));
        assertThat(ended.oldestEndedAt())
            .isEqualTo(model.isEmpty() ? EndedPeople.NONE : model.get(0).endedAt());
      }
    }
  }

  @Test
  void keepsNothingOfThoseItHasForgotten() {
    EndedStore ended = new EndedStore(store);
    for (int i = 0; i < 10 * EndedStore.CHUNK; i++) {
      ended.add(person("p" + i, i + 1, 1_000 + i));
      ended.write();
    }
    for (int i = 0; i < 10 * EndedStore.CHUNK; i++) {
      ended.forgetOldest();
      ended.write();
    }

    List<Bytes> left = new ArrayList<>();
    try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
      while (all.hasNext()) {
        KeyValue<Bytes, byte[]> next = all.next();
        left.add(next.key);
      }
    }
    assertThat(left).hasSizeLessThanOrEqualTo(2);
  }

  private static Person last(List<Person> model, String requestId) {
    Person last = null;
    for (Person person : model) {
      if (person.requestId().equals(requestId)) {
        last = person;
      }
    }
    return last;
  }

  private static Person person(String requestId, long ticket, long endedAt) {
    return new Person(
        "film",
        requestId,
        "session",
        PersonStatus.EXPIRED,
        ticket,
        0,
        0,
        endedAt,
        "TIMEOUT",
        new Receipt(3, ticket, 500),
        new Version(3, ticket + 10, 1));
  }
}
