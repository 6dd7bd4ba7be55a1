package dev.sluice.bench;

import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** How microbenchmarks are run: in a JVM of their own, after a warm-up. */
public final class Jmh {
  private Jmh() {}

  /**
   * The options of one.
   *
   * @param quick few iterations: for trying
   * @param port of a server it needs, as its parameter of that name; 0 for none
   */
  public static ChainedOptionsBuilder options(Class<?> benchmark, boolean quick, int port) {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("\\." + benchmark.getSimpleName() + "\\.")
            .forks(1)
            .warmupIterations(quick ? 2 : 5)
            .warmupTime(TimeValue.seconds(1))
            .measurementIterations(quick ? 3 : 10)
            .measurementTime(TimeValue.seconds(1))
            .shouldFailOnError(true);
    return port > 0 ? options.param("port", String.valueOf(port)) : options;
  }
}
