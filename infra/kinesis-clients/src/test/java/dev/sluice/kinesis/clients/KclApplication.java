package dev.sluice.kinesis.clients;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/** An application of KCL: its workers, each in a JVM of its own, and what they processed. */
final class KclApplication implements AutoCloseable {
  private static final String KCL = "amazon-kinesis-client-";

  private final String version;
  private final String retrieval;
  private final String stream;
  private final List<String> arguments;
  private final BiFunction<String, String, Numbered> numbered;
  private final Deque<Process> workers = new ArrayDeque<>();
  private final List<Processed> processed = new ArrayList<>();

  /**
   * @param millis when, by the clock of this machine
   */
  private record Processed(long millis, Numbered record) {}

  /**
   * @param version the major one, 2 or 3
   * @param retrieval {@code polling} or {@code fan-out}
   * @param numbered makes of a key and data what was written
   */
  KclApplication(
      String version,
      String retrieval,
      String stream,
      BiFunction<String, String, Numbered> numbered,
      int kinesisPort,
      int tablesPort) {
    this.version = version;
    this.retrieval = retrieval;
    this.stream = stream;
    this.numbered = numbered;
    arguments =
        List.of(
            version,
            retrieval,
            name(),
            stream,
            String.valueOf(kinesisPort),
            String.valueOf(tablesPort));
  }

  String name() {
    return "kcl-" + version + "-" + retrieval + "-" + stream;
  }

  void startWorker() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // Short-lived and many: no time for the second compiler, no memory to spare.
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", classPath(), KclWorker.class.getName()));
    command.addAll(arguments);
    Process worker =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    workers.add(worker);
    Thread reader = new Thread(() -> read(worker), "output of " + name());
    reader.setDaemon(true);
    reader.start();
  }

  /** This JVM's, with the jar of the version. */
  private String classPath() {
    String own = System.getProperty("java.class.path");
    return version.equals("3")
        ? own
        : Arrays.stream(own.split(File.pathSeparator, -1))
            .map(entry -> entry.contains(KCL) ? System.getProperty("kcl2.jar") : entry)
            .collect(Collectors.joining(File.pathSeparator));
  }

  private void read(Process worker) {
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(worker.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        String[] fields = line.split(" ", 3);
        Processed one =
            new Processed(Long.parseLong(fields[0]), numbered.apply(fields[1], fields[2]));
        synchronized (processed) {
          processed.add(one);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As {@code kill -9}, the eldest. */
  void killWorker() throws InterruptedException {
    workers.remove().destroyForcibly().waitFor();
  }

  /** By all workers, in order of time, without what was processed before. */
  List<Numbered> processed() {
    synchronized (processed) {
      return processed.stream()
          .sorted(Comparator.comparingLong(Processed::millis))
          .map(Processed::record)
          .distinct()
          .toList();
    }
  }

  @Override
  public void close() throws InterruptedException {
    while (!workers.isEmpty()) {
      killWorker();
    }
  }
}
