package dev.sluice.bench.rank;

import dev.sluice.admission.RankIndex;

/** Measures the heap of an index as what is in use with many of them less without. */
final class IndexMemory {
  private IndexMemory() {}

  /** Bytes of heap a waiting person, of an index that {@code entered} people entered. */
  static double bytesPerPerson(int entered) {
    int copies = Math.max(1, 20_000_000 / entered);
    RankIndex[] kept = new RankIndex[copies];
    WaitingTickets.index(entered);
    long before = used();
    for (int i = 0; i < copies; i++) {
      kept[i] = WaitingTickets.index(entered);
    }
    long after = used();
    long people = 0;
    for (RankIndex index : kept) {
      people += index.size();
    }
    return (double) (after - before) / people;
  }

  private static long used() {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }
}
