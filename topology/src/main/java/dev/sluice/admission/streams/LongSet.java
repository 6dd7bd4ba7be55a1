package dev.sluice.admission.streams;

/** A set of longs in one array: open addressing with linear probing. Not thread-safe. */
final class LongSet {
  /** Marks a free place; a member of this value is kept as its neighbour. */
  private static final long FREE = 0;

  private long[] table = new long[1 << 10];
  private int size;

  boolean contains(long member) {
    return table[placeOf(stored(member))] != FREE;
  }

  void add(long member) {
    if (size * 2L >= table.length) {
      grow();
    }
    long stored = stored(member);
    int place = placeOf(stored);
    if (table[place] == FREE) {
      table[place] = stored;
      size++;
    }
  }

  void remove(long member) {
    int hole = placeOf(stored(member));
    if (table[hole] == FREE) {
      return;
    }
    size--;
    int mask = table.length - 1;
    for (int place = (hole + 1) & mask; table[place] != FREE; place = (place + 1) & mask) {
      int home = homeOf(table[place], mask);
      if (((place - home) & mask) >= ((place - hole) & mask)) {
        table[hole] = table[place];
        hole = place;
      }
    }
    table[hole] = FREE;
  }

  int size() {
    return size;
  }

  private int placeOf(long stored) {
    int mask = table.length - 1;
    int place = homeOf(stored, mask);
    while (table[place] != FREE && table[place] != stored) {
      place = (place + 1) & mask;
    }
    return place;
  }

  private void grow() {
    long[] old = table;
    table = new long[old.length * 2];
    for (long stored : old) {
      if (stored != FREE) {
        table[placeOf(stored)] = stored;
      }
    }
  }

  private static int homeOf(long stored, int mask) {
    return (int) (stored ^ (stored >>> 32)) & mask;
  }

  private static long stored(long member) {
    return member == FREE ? 1 : member;
  }
}
