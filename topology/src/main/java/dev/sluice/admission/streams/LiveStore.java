package dev.sluice.admission.streams;

import dev.sluice.admission.Changes;
import dev.sluice.admission.PartitionRecord;
import dev.sluice.admission.Person;
import dev.sluice.admission.RankIndex;
import dev.sluice.admission.RestingRooms;
import dev.sluice.admission.RoomRecord;
import dev.sluice.contract.AcceptedSetting;
import dev.sluice.streams.BinaryReader;
import dev.sluice.streams.BinaryWriter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The store of all that is live in a partition. A key is a kind, a name, a zero byte and a number;
 * people who wait are kept in chunks, those who are active each in a slot.
 *
 * <p>Slots are used again, so that the keys of a million people who once were active don't lie as
 * tombstones in the way of a restart; and a restart begins to read each room at its first waiting
 * ticket.
 */
final class LiveStore implements Changes, RestingRooms {
  private static final byte PARTITION = 'P';
  private static final byte SETTING = 'S';
  private static final byte ROOM = 'R';

  /** A room that rests, or did before it was entered again. */
  private static final byte RESTING = 'Z';

  private static final byte WAITING = 'W';
  private static final byte ENTRANTS = 'E';
  private static final byte ACTIVE = 'A';

  /** Tickets in a chunk of entrants. */
  private static final int CHUNK = 64;

  private final KeyValueStore<Bytes, byte[]> store;
  private final BinaryWriter keys = new BinaryWriter();
  private final BinaryWriter values = new BinaryWriter();
  private final Map<String, Slots> slots = new HashMap<>();

  LiveStore(KeyValueStore<Bytes, byte[]> store) {
    this.store = store;
  }

  @Override
  public void partition(PartitionRecord partition) {
    store.put(key(PARTITION, "", 0), StoredFormat.partition(partition, values));
  }

  @Override
  public void setting(AcceptedSetting setting) {
    String room = setting.roomId() == null ? "" : "@" + setting.roomId();
    store.put(key(SETTING, setting.key() + room, 0), StoredFormat.setting(setting, values));
  }

  @Override
  public void room(RoomRecord room) {
    store.put(key(ROOM, room.roomId(), 0), StoredFormat.room(room, values));
  }

  @Override
  public void resting(RoomRecord room) {
    store.put(key(RESTING, room.roomId(), 0), StoredFormat.room(room, values));
    store.delete(key(ROOM, room.roomId(), 0));
    slots.remove(room.roomId());
  }

  @Override
  public RoomRecord find(String roomId) {
    byte[] kept = store.get(key(new BinaryWriter(), RESTING, roomId, 0));
    return kept == null ? null : StoredFormat.room(kept);
  }

  @Override
  public void waitingLeaf(String roomId, long number, long[] words) {
    put(key(WAITING, roomId, number), words == null ? null : StoredFormat.leaf(words, values));
  }

  @Override
  public void entrants(String roomId, long number, List<Person> waiting) {
    put(
        key(ENTRANTS, roomId, number),
        waiting == null ? null : StoredFormat.people(waiting, values));
  }

  @Override
  public void active(String roomId, long ticket, Person person) {
    Slots ofRoom = slots.computeIfAbsent(roomId, room -> new Slots());
    if (person == null) {
      Integer slot = ofRoom.release(ticket);
      if (slot != null) {
        store.delete(key(ACTIVE, roomId, slot));
      }
    } else {
      store.put(key(ACTIVE, roomId, ofRoom.slotOf(ticket)), StoredFormat.person(person, values));
    }
  }

  private void put(Bytes key, byte[] value) {
    if (value == null) {
      store.delete(key);
    } else {
      store.put(key, value);
    }
  }

  /** Hands over all that is kept. */
  void readInto(Changes restore) {
    scan(PARTITION, "", 0, (number, value) -> restore.partition(StoredFormat.partition(value)));
    scanKind(SETTING, value -> restore.setting(StoredFormat.setting(value)));
    List<RoomRecord> rooms = new ArrayList<>();
    scanKind(ROOM, value -> rooms.add(StoredFormat.room(value)));
    for (RoomRecord room : rooms) {
      restore.room(room);
      readPeople(room.roomId(), restore);
    }
  }

  private void readPeople(String roomId, Changes restore) {
    long[] first = {RankIndex.NONE};
    scan(
        WAITING,
        roomId,
        0,
        (number, value) -> {
          long[] words = StoredFormat.leaf(value);
          if (first[0] == RankIndex.NONE) {
            first[0] = RankIndex.empty().withLeaf(number, words).first();
          }
          restore.waitingLeaf(roomId, number, words);
        });
    if (first[0] != RankIndex.NONE) {
      scan(
          ENTRANTS,
          roomId,
          first[0] / CHUNK,
          (number, value) -> restore.entrants(roomId, number, StoredFormat.people(roomId, value)));
    }
    Slots ofRoom = new Slots();
    scan(
        ACTIVE,
        roomId,
        0,
        (number, value) -> {
          Person person = StoredFormat.person(roomId, value);
          ofRoom.restore(person.ticket(), Math.toIntExact(number));
          restore.active(roomId, person.ticket(), person);
        });
    ofRoom.finishRestore();
    slots.put(roomId, ofRoom);
  }

  private interface Visitor {
    void visit(long number, byte[] value);
  }

  private void scan(byte kind, String name, long from, Visitor visitor) {
    try (KeyValueIterator<Bytes, byte[]> found =
        store.range(key(kind, name, from), key(kind, name, -1))) {
      while (found.hasNext()) {
        KeyValue<Bytes, byte[]> next = found.next();
        byte[] key = next.key.get();
        long number = new BinaryReader(key, key.length - Long.BYTES).getFixed();
        visitor.visit(number, next.value);
      }
    }
  }

  private void scanKind(byte kind, Consumer<byte[]> visitor) {
    Bytes from = Bytes.wrap(new byte[] {kind});
    Bytes to = Bytes.wrap(new byte[] {(byte) (kind + 1)});
    try (KeyValueIterator<Bytes, byte[]> found = store.range(from, to)) {
      while (found.hasNext()) {
        KeyValue<Bytes, byte[]> next = found.next();
        if (next.key.get()[0] == kind) {
          visitor.accept(next.value);
        }
      }
    }
  }

  /** Numbers are ordered as unsigned, so that -1 is beyond all of them. */
  private Bytes key(byte kind, String name, long number) {
    return key(keys, kind, name, number);
  }

  private static Bytes key(BinaryWriter keys, byte kind, String name, long number) {
    keys.begin().putByte(kind).putAscii(name).putByte((byte) 0).putFixed(number);
    return Bytes.wrap(keys.end());
  }

  /** Which slot each active person of a room is kept in; the lowest free one is taken first. */
  private static final class Slots {
    private final Map<Long, Integer> byTicket = new HashMap<>();
    private final PriorityQueue<Integer> free = new PriorityQueue<>();
    private int used;

    int slotOf(long ticket) {
      return byTicket.computeIfAbsent(ticket, t -> free.isEmpty() ? used++ : free.poll());
    }

    Integer release(long ticket) {
      Integer slot = byTicket.remove(ticket);
      if (slot != null) {
        free.add(slot);
      }
      return slot;
    }

    void restore(long ticket, int slot) {
      byTicket.put(ticket, slot);
      used = Math.max(used, slot + 1);
    }

    void finishRestore() {
      BitSet taken = new BitSet(used);
      byTicket.values().forEach(taken::set);
      for (int slot = taken.nextClearBit(0); slot < used; slot = taken.nextClearBit(slot + 1)) {
        free.add(slot);
      }
    }
  }
}
