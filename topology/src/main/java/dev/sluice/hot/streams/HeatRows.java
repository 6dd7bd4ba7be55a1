package dev.sluice.hot.streams;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.contract.EventKind;
import dev.sluice.contract.HotVerdict;
import dev.sluice.contract.RoomSum;
import dev.sluice.hot.HeatPartition;
import dev.sluice.hot.HeatStore;
import dev.sluice.streams.BinaryReader;
import dev.sluice.streams.BinaryWriter;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;

/**
 * The state of a partition's rooms as rows of a key-value store. A key is the kind of row, the
 * room, and for slots and audiences the producer, with a zero byte between; no identifier has one.
 */
final class HeatRows implements HeatStore {
  private static final byte SLOT = 'S';
  private static final byte HOT = 'H';
  private static final byte AUDIENCE = 'A';

  private final KeyValueStore<Bytes, byte[]> store;
  private final BinaryWriter writer = new BinaryWriter();

  HeatRows(KeyValueStore<Bytes, byte[]> store) {
    this.store = store;
  }

  @Override
  public void putSlot(
      String roomId, String producer, long slot, long baseTenth, List<RoomSum.Cell> cells) {
    writer.begin().put(baseTenth).put(cells.size());
    for (RoomSum.Cell cell : cells) {
      writer.put(cell.kind().name()).put(cell.country()).put(cell.app()).put(cell.counts().size());
      for (long count : cell.counts()) {
        writer.put(count);
      }
    }
    byte[] value = writer.end();
    store.put(slotKey(roomId, producer, slot), value);
  }

  @Override
  public void deleteSlot(String roomId, String producer, long slot) {
    store.delete(slotKey(roomId, producer, slot));
  }

  @Override
  public void putHot(HotVerdict verdict) {
    byte[] value =
        writer
            .begin()
            .put(verdict.because())
            .put(verdict.rate())
            .put(verdict.threshold())
            .put(verdict.windowSeconds())
            .put(verdict.since())
            .put(verdict.at())
            .end();
    store.put(key(HOT, verdict.roomId()), value);
  }

  @Override
  public void deleteHot(String roomId) {
    store.delete(key(HOT, roomId));
  }

  @Override
  public void putAudience(String roomId, String producer, int subscribers) {
    byte[] value = writer.begin().put(subscribers).end();
    store.put(audienceKey(roomId, producer), value);
  }

  @Override
  public void deleteAudience(String roomId, String producer) {
    store.delete(audienceKey(roomId, producer));
  }

  /** Gives all rows back. */
  void restoreTo(HeatPartition partition, long steady) {
    try (KeyValueIterator<Bytes, byte[]> rows = store.all()) {
      while (rows.hasNext()) {
        KeyValue<Bytes, byte[]> row = rows.next();
        restore(row.key.get(), new BinaryReader(row.value), partition, steady);
      }
    }
  }

  private static void restore(
      byte[] key, BinaryReader value, HeatPartition partition, long steady) {
    Parts parts = new Parts(key);
    String roomId = parts.next();
    switch (key[0]) {
      case SLOT ->
          partition.restoreSlot(
              roomId,
              parts.next(),
              new BinaryReader(key, parts.position).getFixed(),
              value.getLong(),
              cells(value),
              steady);
      case HOT ->
          partition.adopt(
              new HotVerdict(
                  roomId,
                  value.getText(),
                  value.getLong(),
                  value.getLong(),
                  value.getInt(),
                  value.getLong(),
                  value.getLong()));
      case AUDIENCE -> partition.restoreAudience(roomId, parts.next(), value.getInt(), steady);
      default -> throw new IllegalStateException("a row of kind " + key[0]);
    }
  }

  private static List<RoomSum.Cell> cells(BinaryReader value) {
    int size = value.getInt();
    List<RoomSum.Cell> cells = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      EventKind kind = EventKind.valueOf(value.getText());
      String country = value.getText();
      String app = value.getText();
      int tenths = value.getInt();
      List<Long> counts = new ArrayList<>(tenths);
      for (int tenth = 0; tenth < tenths; tenth++) {
        counts.add(value.getLong());
      }
      cells.add(new RoomSum.Cell(kind, country, app, counts));
    }
    return cells;
  }

  private Bytes slotKey(String roomId, String producer, long slot) {
    return Bytes.wrap(
        beginKey(SLOT, roomId)
            .putByte((byte) 0)
            .putAscii(producer)
            .putByte((byte) 0)
            .putFixed(slot)
            .end());
  }

  private Bytes audienceKey(String roomId, String producer) {
    return Bytes.wrap(beginKey(AUDIENCE, roomId).putByte((byte) 0).putAscii(producer).end());
  }

  private Bytes key(byte kind, String roomId) {
    return Bytes.wrap(beginKey(kind, roomId).end());
  }

  private BinaryWriter beginKey(byte kind, String roomId) {
    return writer.begin().putByte(kind).putAscii(roomId);
  }

  /** The texts of a key, each up to a zero byte or the end. */
  private static final class Parts {
    private final byte[] key;
    private int position = 1;

    Parts(byte[] key) {
      this.key = key;
    }

    String next() {
      int begin = position;
      while (position < key.length && key[position] != 0) {
        position++;
      }
      return new String(key, begin, position++ - begin, UTF_8);
    }
  }
}
