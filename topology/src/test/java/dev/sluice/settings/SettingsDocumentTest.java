package dev.sluice.settings;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class SettingsDocumentTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "settings.md");
  private static final Path TOPICS = Path.of("..", "docs", "topics.md");

  @Test
  void theDocumentHasEachSettingAsItIs() throws IOException {
    List<String> rows =
        Files.readAllLines(DOCUMENT).stream()
            .filter(line -> line.matches("\\| `[a-z]+\\.[a-z-]+` \\| `.*"))
            .toList();

    assertThat(rows)
        .containsExactlyElementsOf(
            SettingKey.all().stream().map(SettingsDocumentTest::row).toList());
  }

  @Test
  void everyExampleOfATopicIsWhatTheProgramWrites() throws Exception {
    Matcher examples =
        Pattern.compile("(?m)^sluice\\.(config|settings|config-history) (\\S+) (.+)$")
            .matcher(Files.readString(TOPICS));
    int read = 0;
    while (examples.find()) {
      SettingAddress address = SettingAddress.parse(examples.group(2));
      byte[] value = examples.group(3).getBytes(UTF_8);
      switch (examples.group(1)) {
        case "config" ->
            assertThat(Verdict.of(address.toString().getBytes(UTF_8), value, null, 0, 0).setting())
                .isNotNull();
        case "settings" ->
            assertThat(SettingsJson.write(SettingsJson.read(address, value))).isEqualTo(value);
        default -> assertThat(SettingsJson.write(SettingsJson.readAttempt(value))).isEqualTo(value);
      }
      read++;
    }
    assertThat(read).isEqualTo(5);
  }

  private static String row(SettingKey<?> key) {
    String scopes =
        key.scopes().stream()
            .sorted()
            .map(SettingScope.Kind::word)
            .collect(Collectors.joining(", "));
    return "| `%s` | `%s` | %s | %s | %s |"
        .formatted(key.name(), key.defaultJson(), key.allowed(), scopes, key.description());
  }
}
