package dev.sluice.standalone.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Many people at once, in Node, with the client as it is installed from npm. */
final class Crowd implements AutoCloseable {
  /** Of a person: admission, timeout, rank, figures of the room, the server. */
  static final int SUBSCRIPTIONS_EACH = 5;

  private static final Path CLIENT = Path.of("../../notifier/client");

  private final Path complaints;
  private final Process process;
  private final BufferedWriter questions;
  private final BufferedReader answers;

  /**
   * Everyone enters, in a session of their own, and follows.
   *
   * @param folder an empty one
   */
  Crowd(int people, String site, String room, Path folder) throws Exception {
    Path modules = folder.resolve("node_modules");
    for (String file : List.of("package.json", "sluice-client.js")) {
      copy(CLIENT.resolve(file), modules.resolve("sluice-client").resolve(file));
    }
    copyStomp(modules.resolve("@stomp/stompjs"));
    copy(Path.of("src/test/js/crowd.js"), folder.resolve("crowd.js"));
    try (InputStream pass = getClass().getResourceAsStream("/static/js/pass.js")) {
      Files.copy(pass, folder.resolve("pass.js"));
    }
    Files.writeString(folder.resolve("package.json"), "{\"type\":\"module\"}");
    complaints = folder.resolve("complaints");
    process =
        node("crowd.js", site, room, Integer.toString(people))
            .directory(folder.toFile())
            .redirectError(complaints.toFile())
            .start();
    questions = process.outputWriter();
    answers = process.inputReader();
  }

  /** Whether there is a Node whose WebSocket can be used. */
  static boolean isPossible() throws InterruptedException {
    try {
      return node("-e", "WebSocket").start().waitFor() == 0;
    } catch (IOException absent) {
      return false;
    }
  }

  /** Node 20 has WebSocket behind this flag, later ones have it anyway. */
  private static ProcessBuilder node(String... arguments) {
    return new ProcessBuilder(
        Stream.concat(Stream.of("node", "--experimental-websocket"), Stream.of(arguments))
            .toList());
  }

  /**
   * Waits until so many are admitted and so many have a connection. Nobody's rank has risen by
   * then, and whoever is admitted heard it once and got a pass of their own.
   */
  void becomes(int admitted, int connected) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              List<JsonNode> people = people();
              assertThat(people).filteredOn(Crowd::isAdmitted).hasSize(admitted);
              assertThat(people).filteredOn(Crowd::isLive).hasSize(connected);
            });
    assertThat(people())
        .allSatisfy(
            person -> {
              assertThat(person.get("rises").asInt()).isZero();
              assertThat(person.get("admissions").asInt()).isEqualTo(isAdmitted(person) ? 1 : 0);
              if (isAdmitted(person)) {
                assertThat(person.get("passFor")).isEqualTo(person.get("requestId"));
              }
            });
  }

  /** The ranks of those who wait, in the order in which they came. */
  List<Integer> ranks() {
    return people().stream()
        .filter(person -> !isAdmitted(person))
        .map(person -> person.get("rank").asInt())
        .toList();
  }

  private List<JsonNode> people() {
    try {
      questions.write("\n");
      questions.flush();
      String answer = answers.readLine();
      assertThat(answer).as(Files.readString(complaints)).isNotNull();
      return JsonMapper.shared().readTree(answer).valueStream().toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isAdmitted(JsonNode person) {
    return person.get("status").asString().equals("ADMITTED");
  }

  private static boolean isLive(JsonNode person) {
    return person.get("connection").asString().equals("live");
  }

  private static void copy(Path source, Path target) throws IOException {
    Files.createDirectories(target.getParent());
    Files.copy(source, target);
  }

  private static void copyStomp(Path target) throws Exception {
    URI inJar = Crowd.class.getResource("/META-INF/resources/webjars/stomp__stompjs").toURI();
    try (FileSystem jar = FileSystems.newFileSystem(inJar, Map.of());
        Stream<Path> versions = Files.list(jar.provider().getPath(inJar))) {
      Path version = versions.findFirst().orElseThrow();
      try (Stream<Path> files = Files.walk(version)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          copy(file, target.resolve(version.relativize(file).toString()));
        }
      }
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
