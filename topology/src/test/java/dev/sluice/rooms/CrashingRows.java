package dev.sluice.rooms;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** Rows in memory, of which a crash leaves some state since the last commit. */
final class CrashingRows implements KeptRows {
  @SuppressWarnings("ArrayRecordComponent") // applied, never compared
  private record Change(byte[] key, byte[] value) {}

  private TreeMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
  private TreeMap<byte[], byte[]> committed = new TreeMap<>(Arrays::compareUnsigned);
  private final List<Change> since = new ArrayList<>();

  void commit() {
    committed = new TreeMap<>(rows);
    since.clear();
  }

  /** All is as after one and the same of the changes since the commit. */
  void crashToPrefix(Random random) {
    rows = new TreeMap<>(committed);
    since.subList(0, random.nextInt(since.size() + 1)).forEach(this::apply);
    settle();
  }

  /** Each row is as after some change of its own since the commit. */
  void crashMixed(Random random) {
    rows = new TreeMap<>(committed);
    Map<String, Integer> most = new HashMap<>();
    for (Change change : since) {
      most.merge(Arrays.toString(change.key()), 1, Integer::sum);
    }
    most.replaceAll((key, changes) -> random.nextInt(changes + 1));
    for (Change change : since) {
      if (most.merge(Arrays.toString(change.key()), -1, Integer::sum) >= 0) {
        apply(change);
      }
    }
    settle();
  }

  private void settle() {
    committed = new TreeMap<>(rows);
    since.clear();
  }

  private void apply(Change change) {
    if (change.value() == null) {
      rows.remove(change.key());
    } else {
      rows.put(change.key(), change.value());
    }
  }

  private void change(byte[] key, byte[] value) {
    Change change = new Change(key.clone(), value == null ? null : value.clone());
    since.add(change);
    apply(change);
  }

  int size() {
    return rows.size();
  }

  @Override
  public byte[] get(byte[] key) {
    byte[] value = rows.get(key);
    return value == null ? null : value.clone();
  }

  @Override
  public void put(byte[] key, byte[] value) {
    change(key, value);
  }

  @Override
  public void delete(byte[] key) {
    change(key, null);
  }

  @Override
  public void scan(byte[] from, byte[] to, Visitor visitor) {
    for (Map.Entry<byte[], byte[]> row : new TreeMap<>(rows.subMap(from, to)).entrySet()) {
      if (!visitor.visit(row.getKey().clone(), row.getValue())) {
        return;
      }
    }
  }
}
