package dev.sluice.admission.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.admission.AdmissionMachine;
import dev.sluice.admission.AdmissionReader;
import dev.sluice.admission.AdmissionState;
import dev.sluice.admission.StateRestore;
import dev.sluice.admission.Step;
import dev.sluice.contract.AcceptedSetting;
import dev.sluice.contract.Command;
import dev.sluice.query.PersonView;
import dev.sluice.query.WaitingSnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.Test;

class LiveStoreTest {
  private static final List<String> ROOMS = List.of("a", "film", "film.2");

  private final KeyValueStore<Bytes, byte[]> live = InMemory.store();
  private final KeyValueStore<Bytes, byte[]> ended = InMemory.store();

  @Test
  void aStateReadBackSaysAndDoesTheSame() {
    for (long seed = 0; seed < 5; seed++) {
      Owner stayed = new Owner(InMemory.store(), InMemory.store());
      Owner restarting = new Owner(InMemory.store(), InMemory.store());
      Random random = new Random(seed);
      long time = 1_000_000;
      for (int offset = 0; offset < 4_000; offset++) {
        Command command = command(random, offset, stayed);
        time += random.nextInt(40);
        Step right = stayed.machine.apply(offset, time, command);
        assertThat(restarting.machine.apply(offset, time, command))
            .as("seed %s, offset %s", seed, offset)
            .isEqualTo(right);
        if (random.nextInt(100) == 0) {
          restarting.write();
        }
        if (random.nextInt(300) == 0) {
          restarting.write();
          restarting = new Owner(restarting.live, restarting.ended);
          assertSame(stayed, restarting);
        }
      }
    }
  }

  @Test
  void placesOfActivePeopleAreUsedAgain() {
    Owner owner = new Owner(live, ended);
    long offset = 0;
    owner.machine.apply(offset++, 1_000, capacity(2));
    for (int i = 0; i < 500; i++) {
      owner.machine.apply(offset++, 1_000, new Command.Enter("opera", "p" + i, "s" + i));
      owner.write();
      owner.machine.apply(offset++, 1_000, new Command.Complete("opera", "p" + i, i + 1));
      owner.write();
    }
    owner.machine.apply(offset++, 1_000, new Command.Enter("opera", "last", "s"));
    owner.write();

    assertThat(keys(live).stream().filter(key -> key.get()[0] == 'A')).hasSize(1);
    assertThat(keys(live).stream().filter(key -> key.get()[0] == 'E')).isEmpty();
    assertThat(keys(live).stream().filter(key -> key.get()[0] == 'W')).isEmpty();
  }

  @Test
  void ofARoomInWhichNobodyIsRememberedOnlyOneRecordIsKept() {
    Owner owner = new Owner(live, ended);
    owner.machine.apply(0, 1_000, capacity(2));
    owner.machine.apply(1, 1_000, new Command.Enter("opera", "ann", "s"));
    owner.machine.apply(2, 1_000, new Command.Leave("opera", "ann", 1));
    owner.write();
    owner.machine.apply(3, 200_000, new Command.Tick());
    owner.write();

    assertThat(keys(live).stream().map(key -> (char) key.get()[0]))
        .doesNotContain('R')
        .contains('Z');
    Owner restarted = new Owner(live, ended);
    assertThat(restarted.reader.room("opera", 0).nextTicket()).isEqualTo(2);
    restarted.machine.apply(4, 200_000, new Command.Enter("opera", "bob", "s"));
    restarted.write();
    assertThat(restarted.reader.person("opera", "bob", 0).orElseThrow().ticket()).isEqualTo(2);
    assertThat(new Owner(live, ended).reader.room("opera", 0).nextTicket()).isEqualTo(3);
  }

  private static Command command(Random random, int offset, Owner state) {
    if (offset == 0) {
      return capacity(40);
    }
    String room = ROOMS.get(random.nextInt(ROOMS.size()));
    String person = "p" + random.nextInt(700);
    int what = random.nextInt(10);
    if (what < 6) {
      return new Command.Enter(room, person, "s" + person);
    }
    long ticket = state.reader.person(room, person, 0).map(PersonView::ticket).orElse(1L);
    if (what < 7) {
      return new Command.Leave(room, person, ticket);
    }
    if (what < 8) {
      return new Command.Heartbeat(room, person, ticket);
    }
    return what < 9 ? new Command.Complete(room, person, ticket) : new Command.Tick();
  }

  private static Command capacity(int capacity) {
    return new Command.Configure(
        List.of(
            new AcceptedSetting("admission.capacity", null, String.valueOf(capacity), 1),
            new AcceptedSetting("admission.pace", "film", "\"200/s\"", 2),
            new AcceptedSetting("admission.keep-ended", null, "\"20s\"", 3)));
  }

  private static void assertSame(Owner right, Owner read) {
    for (String room : ROOMS) {
      WaitingSnapshot expected = right.reader.waiting(room, 0);
      WaitingSnapshot actual = read.reader.waiting(room, 0);
      assertThat(actual.room()).isEqualTo(expected.room());
      assertThat(leaves(actual)).isEqualTo(leaves(expected));
      assertThat(actual.outflowPerMinute()).isEqualTo(expected.outflowPerMinute());
      for (int i = 0; i < 700; i++) {
        assertThat(read.reader.person(room, "p" + i, 0))
            .isEqualTo(right.reader.person(room, "p" + i, 0));
      }
    }
  }

  private static Map<Long, String> leaves(WaitingSnapshot snapshot) {
    Map<Long, String> leaves = new HashMap<>();
    snapshot.waiting().forEachLeaf((number, words) -> leaves.put(number, Arrays.toString(words)));
    return leaves;
  }

  private static List<Bytes> keys(KeyValueStore<Bytes, byte[]> store) {
    List<Bytes> keys = new ArrayList<>();
    try (KeyValueIterator<Bytes, byte[]> all = store.all()) {
      while (all.hasNext()) {
        keys.add(all.next().key);
      }
    }
    return keys;
  }

  /** What the processor does, without Kafka. */
  private static final class Owner {
    private final KeyValueStore<Bytes, byte[]> live;
    private final KeyValueStore<Bytes, byte[]> ended;
    private final LiveStore liveStore;
    private final EndedStore endedStore;
    private final AdmissionState state;
    private final AdmissionMachine machine;
    private final AdmissionReader reader;

    Owner(KeyValueStore<Bytes, byte[]> live, KeyValueStore<Bytes, byte[]> ended) {
      this.live = live;
      this.ended = ended;
      liveStore = new LiveStore(live);
      endedStore = new EndedStore(ended);
      StateRestore restore = new StateRestore(0, endedStore, liveStore);
      liveStore.readInto(restore);
      state = restore.finish();
      machine = new AdmissionMachine(state);
      reader = new AdmissionReader(state);
    }

    void write() {
      state.drainTo(liveStore);
      endedStore.write();
    }
  }
}
