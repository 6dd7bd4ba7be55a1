package dev.sluice.kinesis.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Scripts for node and the packages they need, installed by npm where both are there. */
final class Node {
  private static final Path FOLDER = Path.of("target", "test-classes", "node");
  private static final int OLDEST = 20;

  /** Why tests are skipped where {@link #isThere} says no. */
  static final String ABSENT = "node " + OLDEST + " or later and npm are not installed";

  static final String IS_THERE = "dev.sluice.kinesis.clients.Node#isThere";

  private Node() {}

  static boolean isThere() throws InterruptedException {
    String version = version("node").replaceAll("^v|\\..*\\s*", "");
    return !version.isEmpty() && Integer.parseInt(version) >= OLDEST && !version("npm").isEmpty();
  }

  private static String version(String program) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(program, "--version").start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return process.waitFor() == 0 ? said : "";
    } catch (IOException absent) {
      return "";
    }
  }

  /** Must come before the first {@link #start}. */
  static synchronized void install() throws IOException, InterruptedException {
    Path lock = FOLDER.resolve("package-lock.json");
    Path installed = FOLDER.resolve("node_modules/.package-lock.json");
    if (Files.exists(installed)
        && Files.getLastModifiedTime(installed).compareTo(Files.getLastModifiedTime(lock)) > 0) {
      return;
    }
    Path log = FOLDER.resolve("npm.log");
    Process npm =
        new ProcessBuilder(
                "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
            .directory(FOLDER.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(npm.waitFor(3, TimeUnit.MINUTES)).as("npm ci in time").isTrue();
    assertThat(npm.exitValue()).as(() -> read(log)).isZero();
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  /** Starts a script, whose errors go where this JVM's go. */
  static Process start(String script, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("node", script));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .directory(FOLDER.toFile())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
