package dev.sluice.standalone;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.LongSupplier;

/** What a person sees while Sluice starts: one line a tier, then where to look. */
final class StartReport {
  private final PrintStream out;
  private final LongSupplier nanos;
  private final long began;

  /**
   * @param sinceLaunch time that the process had taken before this report began
   * @param nanos as {@link System#nanoTime}
   */
  StartReport(PrintStream out, Duration sinceLaunch, LongSupplier nanos) {
    this.out = out;
    this.nanos = nanos;
    this.began = nanos.getAsLong() - sinceLaunch.toNanos();
  }

  synchronized void begins(Path dataDirectory) {
    out.println(
        "Sluice on Java %s, data in %s".formatted(Runtime.version().feature(), dataDirectory));
  }

  /** A tier serves. */
  synchronized void up(Role role, String where) {
    out.println("  %-10s %-40s %6s".formatted(role.text(), where, elapsed()));
  }

  synchronized void ready(String whereToLook) {
    out.println("Ready in " + elapsed() + ".");
    out.print(whereToLook.indent(2));
    out.println("Ctrl-C stops it.");
    out.flush();
  }

  private String elapsed() {
    double seconds = (nanos.getAsLong() - began) / 1e9;
    return String.format(Locale.ROOT, "%.1f s", seconds);
  }
}
