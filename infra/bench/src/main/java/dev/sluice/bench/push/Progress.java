package dev.sluice.bench.push;

/** Shows how far something long has got, a few times a second at most. Of one thread. */
final class Progress {
  private static final long EVERY_NANOS = 1_000_000_000;
  private static long shownAt = System.nanoTime();

  private Progress() {}

  static void show(String what, long done, long all) {
    long now = System.nanoTime();
    if (now - shownAt >= EVERY_NANOS) {
      shownAt = now;
      System.out.printf("  %,d of %,d %s%n", done, all, what);
    }
  }
}
