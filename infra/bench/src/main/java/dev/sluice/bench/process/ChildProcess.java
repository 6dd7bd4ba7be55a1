package dev.sluice.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A process started by this one, its output in a file. It ends with this one, also on Ctrl-C. Not
 * thread-safe.
 */
public final class ChildProcess implements AutoCloseable {
  private static final int LINES_SHOWN = 20;

  private final String name;
  private final Process process;
  private final Path log;
  private final Thread atExit;

  private ChildProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.atExit = new Thread(process::destroyForcibly, name + "-at-exit");
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /**
   * @param name for messages
   * @param log receives output and errors
   */
  public static ChildProcess start(
      String name, List<String> command, Map<String, String> environment, Path log) {
    return start(name, command, environment, Path.of("."), log);
  }

  /**
   * @param name for messages
   * @param in the directory that it works in
   * @param log receives output and errors
   */
  public static ChildProcess start(
      String name, List<String> command, Map<String, String> environment, Path in, Path log) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(in.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(environment);
    try {
      return new ChildProcess(name, builder.start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException("can't start " + name + ": " + e.getMessage(), e);
    }
  }

  /** The {@code java} that runs this process. */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  /** Processor time used so far, in nanoseconds; 0 where the system doesn't say. */
  public long cpuNanos() {
    return process.toHandle().info().totalCpuDuration().map(d -> d.toNanos()).orElse(0L);
  }

  /** What it printed last, for an error message. */
  public String lastWords() {
    try {
      List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
      return String.join(
          "\n", lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size()));
    } catch (IOException e) {
      return "(" + log + " can't be read)";
    }
  }

  /** Asks it to stop, and doesn't wait. */
  public void terminate() {
    process.destroy();
  }

  /** Ends it as {@code kill -9} does, and waits for the end. */
  public void killNow() {
    process.destroyForcibly();
    await(10);
  }

  /** Asks it to stop and waits; after half a minute it is killed. */
  @Override
  public void close() {
    process.destroy();
    if (!await(30)) {
      killNow();
    }
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // This process is ending: the hook runs in any case.
      return;
    }
  }

  @Override
  public String toString() {
    return name;
  }

  private boolean await(int seconds) {
    try {
      return process.waitFor(seconds, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
