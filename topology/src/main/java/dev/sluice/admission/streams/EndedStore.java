package dev.sluice.admission.streams;

import dev.sluice.admission.EndedPeople;
import dev.sluice.admission.Person;
import dev.sluice.streams.BinaryReader;
import dev.sluice.streams.BinaryWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The store of those whose stay has ended: each by (room, requestId), and a queue of who ended
 * when, in chunks. What changes between two commits is held in the heap. The queue knows its head,
 * so that neither forgetting nor a restart walks over what has been forgotten.
 *
 * <p>Most people who enter never were here before, so a set of hashes in the heap saves the look
 * into the store for them. Two people with the same 64-bit hash can make a forgotten one of them
 * look unknown, which nobody can tell from forgotten.
 */
final class EndedStore implements EndedPeople {
  private static final byte PERSON = 'P';
  private static final byte QUEUE = 'Q';
  private static final byte ENDS = 'H';

  /** Entries in a chunk of the queue. */
  static final int CHUNK = 128;

  private record Name(String roomId, String requestId) {}

  private record Queued(String roomId, String requestId, long ticket, long endedAt) {}

  private final KeyValueStore<Bytes, byte[]> store;
  private final BinaryWriter keys = new BinaryWriter();
  private final BinaryWriter values = new BinaryWriter();

  /** Queued stays by room, for the owning thread. */
  private final Map<String, Integer> staysOf = new HashMap<>();

  /** Hashes of those in here, for the owning thread. */
  private final LongSet known = new LongSet();

  private final Thread owner = Thread.currentThread();

  /** Not written yet; a person who was forgotten is {@link #FORGOTTEN}. */
  private final ConcurrentHashMap<Name, Object> unwritten = new ConcurrentHashMap<>();

  private static final Object FORGOTTEN = new Object();

  /** Chunks in the heap: that of the head, and those that have got entries since the last write. */
  private final Map<Long, List<Queued>> chunks = new HashMap<>();

  private long headChunk;
  private int headIndex;
  private long tailChunk;
  private long firstUnwrittenChunk;
  private long firstUndeletedChunk;
  private boolean moved;

  /** Reads the queue, from its head; the calling thread is the machine's. */
  EndedStore(KeyValueStore<Bytes, byte[]> store) {
    this.store = store;
    byte[] ends = store.get(endsKey());
    if (ends != null) {
      BinaryReader from = StoredFormat.begin(ends);
      headChunk = from.getLong();
      headIndex = from.getInt();
      tailChunk = from.getLong();
    }
    firstUndeletedChunk = headChunk;
    firstUnwrittenChunk = tailChunk;
    for (long number = headChunk; number <= tailChunk; number++) {
      List<Queued> chunk = read(number);
      for (int i = number == headChunk ? headIndex : 0; i < chunk.size(); i++) {
        known.add(hash(chunk.get(i).roomId(), chunk.get(i).requestId()));
        staysOf.merge(chunk.get(i).roomId(), 1, Integer::sum);
      }
      if (number == headChunk || number == tailChunk) {
        chunks.put(number, chunk);
      }
    }
  }

  @Override
  public void add(Person ended) {
    known.add(hash(ended.roomId(), ended.requestId()));
    staysOf.merge(ended.roomId(), 1, Integer::sum);
    unwritten.put(new Name(ended.roomId(), ended.requestId()), ended);
    List<Queued> tail = chunks.get(tailChunk);
    if (tail.size() == CHUNK) {
      tail = new ArrayList<>(CHUNK);
      chunks.put(++tailChunk, tail);
    }
    tail.add(new Queued(ended.roomId(), ended.requestId(), ended.ticket(), ended.endedAt()));
    moved = true;
  }

  @Override
  public Person find(String roomId, String requestId) {
    if (Thread.currentThread() == owner && !known.contains(hash(roomId, requestId))) {
      return null;
    }
    Object pending = unwritten.get(new Name(roomId, requestId));
    if (pending != null) {
      return pending == FORGOTTEN ? null : (Person) pending;
    }
    byte[] value = store.get(personKey(new BinaryWriter(), roomId, requestId));
    return value == null ? null : StoredFormat.person(roomId, value);
  }

  @Override
  public long oldestEndedAt() {
    Queued oldest = oldest();
    return oldest == null ? NONE : oldest.endedAt();
  }

  @Override
  public String forgetOldest() {
    Queued oldest = oldest();
    if (oldest == null) {
      throw new NoSuchElementException("nobody has ended");
    }
    Person last = find(oldest.roomId(), oldest.requestId());
    if (last != null && last.ticket() == oldest.ticket()) {
      unwritten.put(new Name(oldest.roomId(), oldest.requestId()), FORGOTTEN);
      known.remove(hash(oldest.roomId(), oldest.requestId()));
    }
    headIndex++;
    moved = true;
    if (headIndex == CHUNK && headChunk < tailChunk) {
      advanceHead();
    }
    staysOf.computeIfPresent(oldest.roomId(), (room, stays) -> stays == 1 ? null : stays - 1);
    return oldest.roomId();
  }

  @Override
  public boolean hasAnyOf(String roomId) {
    return staysOf.containsKey(roomId);
  }

  private void advanceHead() {
    if (headChunk < firstUnwrittenChunk) {
      chunks.remove(headChunk);
    }
    headChunk++;
    headIndex = 0;
    if (!chunks.containsKey(headChunk)) {
      chunks.put(headChunk, read(headChunk));
    }
  }

  private Queued oldest() {
    List<Queued> head = chunks.get(headChunk);
    if (headIndex == CHUNK && headChunk < tailChunk) {
      advanceHead();
      head = chunks.get(headChunk);
    }
    return headIndex < head.size() ? head.get(headIndex) : null;
  }

  /** Puts what has changed into the store. */
  void write() {
    if (!moved) {
      return;
    }
    moved = false;
    for (Map.Entry<Name, Object> change : unwritten.entrySet()) {
      Name name = change.getKey();
      Bytes key = personKey(keys, name.roomId(), name.requestId());
      if (change.getValue() == FORGOTTEN) {
        store.delete(key);
      } else {
        store.put(key, StoredFormat.person((Person) change.getValue(), values));
      }
      // Readers look here first, so it goes only once the store has it.
      unwritten.remove(name);
    }
    for (long number = Math.max(firstUnwrittenChunk, headChunk); number <= tailChunk; number++) {
      store.put(queueKey(number), encode(chunks.get(number)));
    }
    for (long number = firstUndeletedChunk; number < headChunk; number++) {
      store.delete(queueKey(number));
    }
    firstUnwrittenChunk = tailChunk;
    firstUndeletedChunk = headChunk;
    chunks.keySet().removeIf(number -> number != headChunk && number != tailChunk);
    store.put(
        endsKey(), StoredFormat.begin(values).put(headChunk).put(headIndex).put(tailChunk).end());
  }

  private List<Queued> read(long number) {
    List<Queued> chunk = new ArrayList<>(CHUNK);
    byte[] value = store.get(queueKey(number));
    if (value != null) {
      BinaryReader from = StoredFormat.begin(value);
      int size = from.getInt();
      for (int i = 0; i < size; i++) {
        chunk.add(new Queued(from.getText(), from.getText(), from.getLong(), from.getLong()));
      }
    }
    return chunk;
  }

  private byte[] encode(List<Queued> chunk) {
    StoredFormat.begin(values).put(chunk.size());
    for (Queued queued : chunk) {
      values.put(queued.roomId()).put(queued.requestId());
      values.put(queued.ticket()).put(queued.endedAt());
    }
    return values.end();
  }

  private static Bytes personKey(BinaryWriter keys, String roomId, String requestId) {
    keys.begin().putByte(PERSON).putAscii(roomId).putByte((byte) 0).putAscii(requestId);
    return Bytes.wrap(keys.end());
  }

  private Bytes queueKey(long number) {
    return Bytes.wrap(keys.begin().putByte(QUEUE).putFixed(number).end());
  }

  private Bytes endsKey() {
    return Bytes.wrap(keys.begin().putByte(ENDS).end());
  }

  private static long hash(String roomId, String requestId) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < roomId.length(); i++) {
      hash = (hash ^ roomId.charAt(i)) * 0x100000001b3L;
    }
    hash = mix(hash);
    for (int i = 0; i < requestId.length(); i++) {
      hash = (hash ^ requestId.charAt(i)) * 0x100000001b3L;
    }
    return mix(hash);
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}
