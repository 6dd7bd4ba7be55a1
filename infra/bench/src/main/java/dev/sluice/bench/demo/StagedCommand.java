package dev.sluice.bench.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;

/** A demonstration against a Sluice that is there, or one of its own. */
abstract class StagedCommand implements Callable<Integer> {
  /** Something that must hold didn't. */
  static final int BROKEN = 1;

  /** Sluice isn't there, or has stopped answering. */
  static final int NO_SLUICE = 2;

  final PrintStream out = System.out;

  @Option(
      names = "--url",
      description =
          "A running Sluice. Without it one at "
              + Stage.DEFAULT_URL
              + " is used, or one is started.")
  private String url;

  @Override
  public final Integer call() throws IOException {
    try (Stage stage = Stage.find(url, out)) {
      return run(stage);
    } catch (IllegalArgumentException | DemoFailure | IllegalStateException e) {
      System.err.println(e.getMessage());
      return NO_SLUICE;
    }
  }

  /** Shows it, and says how it ended: 0 if all held. */
  abstract int run(Stage stage) throws IOException;
}
