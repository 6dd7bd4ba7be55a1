package dev.sluice.bench;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Where things are in a checkout that has been built. */
public final class Installation {
  private Installation() {}

  /** What {@code make run} starts, whether or not it has been built. */
  public static Path sluiceJar() {
    return unpacked().resolve("sluice.jar");
  }

  /** The options of the JVM that {@code make run} starts it with. */
  public static List<String> javaOptions() {
    return List.of("@" + javaOptionsFile());
  }

  /** The file with those options, one a line. */
  public static Path javaOptionsFile() {
    return unpacked().resolve("java-options");
  }

  private static Path unpacked() {
    return root().resolve(Path.of("infra", "standalone", "target", "sluice"));
  }

  /** Where results are kept. */
  public static Path results() {
    return root().resolve("bench-results");
  }

  /** The class path of this program, for another JVM that runs a part of it. */
  public static String classPath() {
    return System.getProperty("java.class.path");
  }

  /** A new directory under the system's temporary one, deleted when closed. */
  public static Scratch scratch(String prefix) throws IOException {
    return new Scratch(Files.createTempDirectory(prefix));
  }

  /** A directory for the time of a run. */
  public record Scratch(Path directory) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      try (Stream<Path> paths = Files.walk(directory)) {
        for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(path);
        }
      }
    }
  }

  /** The checkout: this program runs from its {@code infra/bench/target}. */
  private static Path root() {
    try {
      Path here =
          Path.of(Installation.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path target = here.getParent();
      return target.getParent().getParent().getParent();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
