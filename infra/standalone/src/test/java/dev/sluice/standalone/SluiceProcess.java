package dev.sluice.standalone;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sluice as a person starts it: a process of its own, known by what it prints. */
final class SluiceProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** A thread each: one that reads forever would hold up all futures of a small common pool. */
  private static final Executor COLLECTORS =
      task -> {
        Thread thread = new Thread(task, "collector");
        thread.setDaemon(true);
        thread.start();
      };

  private static final Pattern HTTP = Pattern.compile("http://localhost:(\\d+)/");

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private final CompletableFuture<Void> outputEnded;

  private SluiceProcess(Process process) {
    this.process = process;
    this.outputEnded = CompletableFuture.runAsync(this::collect, COLLECTORS);
  }

  static SluiceProcess start(Path dataDirectory, String... args) {
    return start(Map.of(), dataDirectory, args);
  }

  static SluiceProcess start(Map<String, String> environment, Path dataDirectory, String... args) {
    List<String> command =
        new ArrayList<>(
            List.of(
                // Hears Ctrl-C even when these tests run in the background and don't.
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Sluice.class.getName()));
    command.addAll(Arrays.asList(args));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("SLUICE_"));
    builder.environment().put("SLUICE_KINESIS_PORT", "0");
    builder.environment().putAll(environment);
    builder.environment().put("SLUICE_DATA_DIR", dataDirectory.toString());
    try {
      return new SluiceProcess(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void collect() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line; (line = reader.readLine()) != null; ) {
        synchronized (lines) {
          lines.add(line);
          lines.notifyAll();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      synchronized (lines) {
        lines.notifyAll();
      }
    }
  }

  /** Waits for a line that begins so; fails with everything said if the process ends without it. */
  String awaitLine(String beginning) throws InterruptedException {
    long giveUp = System.nanoTime() + PATIENCE.toNanos();
    synchronized (lines) {
      while (true) {
        for (String line : lines) {
          if (line.startsWith(beginning)) {
            return line;
          }
        }
        long left = giveUp - System.nanoTime();
        if (!process.isAlive() || left <= 0) {
          throw new AssertionError("No \"" + beginning + "\" in:\n" + String.join("\n", lines));
        }
        lines.wait(Math.min(500, TimeUnit.NANOSECONDS.toMillis(left) + 1));
      }
    }
  }

  /** Waits until it is ready and returns the port of HTTP. */
  int awaitReady() throws InterruptedException {
    awaitLine("Ready in ");
    awaitLine("Ctrl-C");
    Matcher port = HTTP.matcher(output());
    if (!port.find()) {
      throw new AssertionError("No address in:\n" + output());
    }
    return Integer.parseInt(port.group(1));
  }

  String output() {
    synchronized (lines) {
      return String.join("\n", lines);
    }
  }

  /** Waits for its end. */
  int awaitExit() throws Exception {
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("Still running; it said:\n" + output());
    }
    outputEnded.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    return process.exitValue();
  }

  /** As Ctrl-C does. */
  void interrupt() throws IOException, InterruptedException {
    signal("INT");
  }

  /** As an orchestrator does. */
  void terminate() throws IOException, InterruptedException {
    signal("TERM");
  }

  private void signal(String signal) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
  }

  /** As kill -9 does; returns once it is gone. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
