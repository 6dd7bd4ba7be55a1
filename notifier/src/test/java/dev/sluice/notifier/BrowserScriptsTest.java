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
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The browser's scripts, by Node's own test runner, npm and TypeScript where they are there. */
final class BrowserScriptsTest {
  private static final Path CLIENT = Path.of("client");

  @TempDir Path folder;

  @Test
  void theirOwnTestsPass() throws Exception {
    assumeTrue(isNodeThere(), "node is not installed");
    copy(CLIENT, folder.resolve("client"));
    copy(Path.of("src/main/resources/static"), folder.resolve("static"));
    copy(Path.of("src/test/js"), folder.resolve("test"));
    copyLibrary("stomp__stompjs", folder.resolve("node_modules/@stomp/stompjs"));
    Files.writeString(folder.resolve("package.json"), "{\"type\":\"module\"}");

    assertThat(run(folder, "node", "--test")).containsPattern("pass [1-9][0-9]");
  }

  @Test
  void thePackageHasTheClientAndNothingElse() throws Exception {
    assumeTrue(isThere("npm"), "npm is not installed");
    String packed =
        run(
            CLIENT,
            "npm",
            "--offline",
            "--no-update-notifier",
            "--loglevel=error",
            "--cache=" + folder,
            "pack",
            "--dry-run",
            "--json");

    JsonNode files = JsonMapper.shared().readTree(packed).get(0).get("files");
    assertThat(files.findValuesAsString("path"))
        .containsExactlyInAnyOrder(
            "LICENSE", "README.md", "package.json", "sluice-client.d.ts", "sluice-client.js");
    assertThat(CLIENT.resolve("LICENSE")).hasSameTextualContentAs(Path.of("../LICENSE"));
  }

  @Test
  void thePackageNeedsTheLibrariesThatThePagesAreServedWith() throws Exception {
    JsonNode wanted = JsonMapper.shared().readTree(CLIENT.resolve("package.json").toFile());
    assertThat(wanted.get("dependencies").get("@stomp/stompjs").asString())
        .isEqualTo(versionOf("stomp__stompjs"));
    assertThat(wanted.get("devDependencies").get("typescript").asString())
        .isEqualTo(versionOf("typescript"));
  }

  /** To mend it: {@code npm install && npm run types} in the client's folder. */
  @Test
  void theTypesOfThePackageAreThoseThatTheSourceSays() throws Exception {
    assumeTrue(isNodeThere(), "node is not installed");
    Path client = folder.resolve("client");
    copy(CLIENT, client);
    Files.delete(client.resolve("sluice-client.d.ts"));
    copyLibrary("stomp__stompjs", folder.resolve("node_modules/@stomp/stompjs"));
    copyLibrary("typescript", folder.resolve("node_modules/typescript"));

    run(client, "node", "../node_modules/typescript/lib/tsc.js");

    assertThat(CLIENT.resolve("sluice-client.d.ts"))
        .hasSameTextualContentAs(client.resolve("sluice-client.d.ts"));
  }

  private String run(Path where, String... command) throws Exception {
    Path output = folder.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .directory(where.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).as(command[0]).isTrue();
    String said = Files.readString(output);
    assertThat(process.exitValue()).as(said).isZero();
    return said;
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

  private static boolean isThere(String program) throws InterruptedException {
    try {
      return new ProcessBuilder(program, "--version").start().waitFor() == 0;
    } catch (IOException absent) {
      return false;
    }
  }

  private void copyLibrary(String webjar, Path target) throws Exception {
    try (FileSystem jar = jarOf(webjar)) {
      copy(versionFolder(jar, webjar), target);
    }
  }

  private String versionOf(String webjar) throws Exception {
    try (FileSystem jar = jarOf(webjar)) {
      return versionFolder(jar, webjar).getFileName().toString().replace("/", "");
    }
  }

  private FileSystem jarOf(String webjar) throws Exception {
    URI inJar = getClass().getResource("/META-INF/resources/webjars/" + webjar).toURI();
    return FileSystems.newFileSystem(inJar, Map.of());
  }

  private static Path versionFolder(FileSystem jar, String webjar) throws IOException {
    try (Stream<Path> versions = Files.list(jar.getPath("/META-INF/resources/webjars", webjar))) {
      return versions.findFirst().orElseThrow();
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
