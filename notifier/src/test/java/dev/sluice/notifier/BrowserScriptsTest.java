package dev.sluice.notifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tests of the browser's scripts, which Node's own test runner runs where there is one. */
final class BrowserScriptsTest {
  @TempDir Path folder;

  @Test
  void theirOwnTestsPass() throws Exception {
    assumeTrue(isNodeThere(), "node is not installed");
    copy(Path.of("src/main/resources/static"), folder.resolve("static"));
    copy(Path.of("src/test/js"), folder.resolve("test"));
    copyStompLibrary(folder.resolve("node_modules/@stomp/stompjs"));
    Files.writeString(folder.resolve("package.json"), "{\"type\":\"module\"}");

    Process tests =
        new ProcessBuilder("node", "--test")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile())
            .start();

    assertThat(tests.waitFor(2, TimeUnit.MINUTES)).isTrue();
    String output = Files.readString(folder.resolve("output"));
    assertThat(tests.exitValue()).as(output).isZero();
    assertThat(output).containsPattern("pass [1-9][0-9]");
  }

  private static boolean isNodeThere() throws InterruptedException {
    try {
      Process node = new ProcessBuilder("node", "--version").start();
      String version = new String(node.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      return node.waitFor() == 0 && Integer.parseInt(version.replaceAll("^v|\\..*\\s*", "")) >= 20;
    } catch (IOException absent) {
      return false;
    }
  }

  private void copyStompLibrary(Path target) throws Exception {
    URI folderInJar = getClass().getResource("/META-INF/resources/webjars/stomp__stompjs").toURI();
    try (FileSystem jar = FileSystems.newFileSystem(folderInJar, Map.of());
        Stream<Path> versions = Files.list(jar.provider().getPath(folderInJar))) {
      copy(versions.findFirst().orElseThrow(), target);
    }
  }

  private static void copy(Path source, Path target) throws IOException {
    try (Stream<Path> paths = Files.walk(source)) {
      paths.forEach(
          path -> {
            Path copy = target.resolve(source.relativize(path).toString());
            try {
              if (Files.isDirectory(path)) {
                Files.createDirectories(copy);
              } else {
                Files.copy(path, copy);
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
  }
}
