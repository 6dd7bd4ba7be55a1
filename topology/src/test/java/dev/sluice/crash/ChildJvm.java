package dev.sluice.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A program of ours in a JVM of its own, which tests may kill and stall. */
final class ChildJvm implements AutoCloseable {
  private final String name;
  private final Process process;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  private ChildJvm(String name, Process process) {
    this.name = name;
    this.process = process;
    Thread reader = new Thread(this::read, "output of " + name);
    reader.setDaemon(true);
    reader.start();
  }

  static ChildJvm start(String name, Class<?> program, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    // Hears Ctrl-C even when these tests run in the background and don't.
    command.addAll(List.of("env", "--default-signal=INT"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Short-lived and many: no time for the second compiler, no memory to spare.
    command.addAll(List.of("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(arguments));
    return new ChildJvm(name, new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  private void read() {
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        System.out.println("[" + name + "] " + line);
        lines.add(line);
      }
    } catch (IOException e) {
      lines.add("output ended: " + e.getMessage());
    }
  }

  /** Waits for a line that begins with {@code start}. */
  String await(String start, Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null) {
        throw new AssertionError(name + " didn't say \"" + start + "\" within " + atMost);
      }
      if (line.startsWith(start)) {
        return line;
      }
    }
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** As {@code kill -9}. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** As Ctrl-C in a terminal, and waits for the end. */
  void interrupt() throws IOException, InterruptedException {
    signal("INT");
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError(name + " didn't end after an interrupt");
    }
  }

  /** Stops all its threads where they are. */
  void stall() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** Lets it go on after {@link #stall}. */
  void resume() throws IOException, InterruptedException {
    signal("CONT");
  }

  private void signal(String signal) throws IOException, InterruptedException {
    int status =
        new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    if (status != 0) {
      throw new IOException("kill -" + signal + " failed for " + name);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
