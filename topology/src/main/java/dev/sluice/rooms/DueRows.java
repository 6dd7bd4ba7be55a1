package dev.sluice.rooms;

import dev.sluice.streams.BinaryReader;
import dev.sluice.streams.BinaryWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Names of rows by the second in which they are to be looked at again. It remembers how far it has
 * swept, so that no sweep walks over what was deleted before.
 */
final class DueRows {
  private static final int HEAD = 1 + Long.BYTES;
  private static final byte[] NOTHING = {1};

  private final KeptRows kept;
  private final byte kind;
  private long swept;

  DueRows(KeptRows kept, byte kind) {
    this.kept = kept;
    this.kind = kind;
    byte[] value = kept.get(sweptKey());
    swept = value == null ? -1 : new BinaryReader(value).getLong();
  }

  /** Enters a name; in the next second to be swept if its own has been. */
  void put(long second, byte[] name) {
    BinaryWriter key = new BinaryWriter(HEAD + name.length).putByte(kind);
    key.putFixed(Math.max(second, swept + 1));
    kept.put(key.putRaw(name).end(), NOTHING);
  }

  /**
   * Takes the names due through {@code second}, the oldest first.
   *
   * @param most that are taken at once
   */
  void sweep(long second, int most, Consumer<byte[]> due) {
    if (second <= swept) {
      return;
    }
    List<byte[]> found = new ArrayList<>();
    kept.scan(
        key(swept + 1),
        key(second + 1),
        (key, value) -> {
          found.add(key);
          return found.size() < most;
        });
    long through =
        found.size() < most
            ? second
            : new BinaryReader(found.get(found.size() - 1), 1).getFixed() - 1;
    if (through > swept) {
      swept = through;
      if (!found.isEmpty()) {
        kept.put(sweptKey(), new BinaryWriter(16).put(swept).end());
      }
    }
    for (byte[] key : found) {
      kept.delete(key);
      due.accept(Arrays.copyOfRange(key, HEAD, key.length));
    }
  }

  private byte[] key(long second) {
    return new BinaryWriter(HEAD).putByte(kind).putFixed(second).end();
  }

  private byte[] sweptKey() {
    return new byte[] {RowKeys.SWEPT, kind};
  }
}
