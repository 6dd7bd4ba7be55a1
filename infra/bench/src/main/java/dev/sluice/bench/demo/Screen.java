package dev.sluice.bench.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;

/** Shows the live figures: repainted in place on a terminal, one line a second elsewhere. */
final class Screen {
  private static final int BAR = 50;
  private static final int RATE_SECONDS = 5;

  private final PrintStream out;
  private final boolean repaints;
  private final ArrayDeque<Live> recent = new ArrayDeque<>();
  private int painted;
  private long ticks;

  Screen(PrintStream out, boolean repaints) {
    this.out = out;
    this.repaints = repaints;
  }

  /** Whether standard output is a terminal; asks {@code test -t 1}, which knows on any Unix. */
  static boolean isTerminal() {
    try {
      return new ProcessBuilder("test", "-t", "1").inheritIO().start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** How often {@link #show} wants to be called, a second. */
  int framesPerSecond() {
    return repaints ? 5 : 1;
  }

  void show(Live live) {
    recent.addLast(live);
    while (recent.size() > RATE_SECONDS * framesPerSecond()) {
      recent.removeFirst();
    }
    ticks++;
    if (repaints) {
      repaint(live);
    } else {
      out.printf(
          Locale.ROOT,
          "%3d s  %-9s arrived %,6d  waiting %,6d  active %3d/%d  admitted %,6d (%.0f/s)  "
              + "enter p50 %.1f ms p99 %.1f ms%n",
          live.elapsed().toSeconds(),
          words(live.phase()),
          live.arrived(),
          live.waiting(),
          live.active(),
          live.capacity(),
          live.admitted(),
          admittedPerSecond(),
          live.enterP50(),
          live.enterP99());
    }
  }

  private void repaint(Live live) {
    List<String> lines =
        List.of(
            String.format(
                Locale.ROOT,
                "  %s  %d s   %s",
                "◐◓◑◒".charAt((int) (ticks % 4)),
                live.elapsed().toSeconds(),
                words(live.phase())),
            bar("arrived", live.arrived(), live.visitors()),
            bar("waiting", live.waiting(), live.visitors()),
            bar("active", live.active(), live.capacity()),
            bar("gone", live.gone(), live.visitors()),
            String.format(
                Locale.ROOT,
                "  admitted %,d, now %.0f a second",
                live.admitted(),
                admittedPerSecond()),
            String.format(
                Locale.ROOT,
                "  enter    p50 %.1f ms   p99 %.1f ms   sent again %d   refused %d",
                live.enterP50(),
                live.enterP99(),
                live.again(),
                live.refused()));
    StringBuilder frame = new StringBuilder();
    if (painted > 0) {
      frame.append("\033[").append(painted).append('A');
    }
    for (String line : lines) {
      frame.append("\033[2K").append(line).append('\n');
    }
    painted = lines.size();
    out.print(frame);
    out.flush();
  }

  private double admittedPerSecond() {
    Live first = recent.getFirst();
    Live last = recent.getLast();
    double seconds = last.elapsed().minus(first.elapsed()).toNanos() / 1e9;
    return seconds <= 0 ? 0 : (last.admitted() - first.admitted()) / seconds;
  }

  private static String bar(String name, long value, long of) {
    int filled = of == 0 ? 0 : (int) Math.min(BAR, Math.round((double) BAR * value / of));
    return String.format(
        Locale.ROOT,
        "  %-8s %s%s %,d / %,d",
        name,
        "█".repeat(filled),
        "·".repeat(BAR - filled),
        value,
        of);
  }

  private static String words(OnSale.Phase phase) {
    return switch (phase) {
      case SELLING -> "on sale";
      case CENSUS -> "census";
      case ROLL_CALL -> "roll-call";
      case OVER -> "over";
    };
  }
}
