package dev.sluice.standalone;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The program. */
public final class Sluice {
  private static final Logger LOG = LoggerFactory.getLogger(Sluice.class);
  private static final Duration STOPS_WITHIN = Duration.ofSeconds(25);

  private Sluice() {}

  /**
   * Runs Sluice until it is told to stop. Exits with 1 and words on the error output when it can't
   * start or can't go on.
   */
  public static void main(String... args) {
    RunningSluice sluice = new RunningSluice(System.out, sinceLaunch());
    Thread stop = new Thread(() -> stop(sluice), "sluice-stop");
    Runtime.getRuntime().addShutdownHook(stop);
    try {
      sluice.launch(args);
    } catch (RuntimeException e) {
      if (!stop.isAlive()) {
        explain(StartFailure.of(e), e);
        Runtime.getRuntime().removeShutdownHook(stop);
        System.exit(1);
      }
      return;
    }
    Throwable failure = sluice.failure().join();
    System.err.println("Sluice can't go on: " + failure.getMessage());
    LOG.error("Sluice can't go on", failure);
    System.exit(1);
  }

  private static Duration sinceLaunch() {
    return Duration.ofMillis(
        System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime());
  }

  private static void explain(StartFailure failure, RuntimeException thrown) {
    System.err.println(failure.words());
    if (failure.isExpected()) {
      LOG.info("Not started: {}", failure.words());
    } else {
      LOG.error("Not started", thrown);
      System.err.println("The log says more.");
    }
  }

  /** In order and in bounded time: what hasn't stopped by then is left to the operating system. */
  private static void stop(RunningSluice sluice) {
    System.out.println("Stopping ...");
    long began = System.nanoTime();
    Thread closing = new Thread(sluice::close, "sluice-close");
    closing.setDaemon(true);
    closing.start();
    try {
      closing.join(STOPS_WITHIN.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    System.out.println(
        closing.isAlive()
            ? "Something didn't stop within %d s and is abandoned.".formatted(millis / 1000)
            : "Stopped in %.1f s.".formatted(millis / 1000.0));
  }
}
