package dev.sluice.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.GoldenSamples.Sample;
import dev.sluice.contract.Topics.TopicSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What is written about topics is what the code writes and reads. */
class TopicsDocumentTest {
  private static final Path DOCS = Path.of("..", "docs");
  private static final Topics TOPICS = new Topics(Topics.DEFAULT_PREFIX, Topics.DEFAULT_PARTITIONS);
  private static final Pattern EXAMPLE = Pattern.compile("(?m)^(sluice\\.\\S+) (\\S+) (.+)$");
  private static final Pattern FIELD = Pattern.compile("[{,]\"(\\w+)\":");

  @Test
  void everyTypeAndFieldIsInBothDocuments() throws IOException {
    String words = read("topics.md");
    String schemas = read("asyncapi.yaml");
    List<Sample> samples = new ArrayList<>(GoldenSamples.in("commands.txt"));
    samples.addAll(GoldenSamples.in("outcomes.txt"));
    samples.addAll(GoldenSamples.in("room-counts.txt"));
    samples.addAll(GoldenSamples.in("hot-rooms.txt"));
    for (Sample sample : samples) {
      assertIsInBoth(sample, words, schemas, "");
    }
    for (Sample sample : GoldenSamples.in("room-events.txt")) {
      assertIsInBoth(sample, words, schemas, sample.json().contains("\"JOIN\"") ? "room" : "");
    }
    for (Sample sample : GoldenSamples.in("joins.txt")) {
      assertIsInBoth(sample, words, schemas, sample.json().contains("\"LEAVE\"") ? "room" : "");
    }
  }

  /** Where two topics have a type of one name, the schema of one has a prefix. */
  private static void assertIsInBoth(Sample sample, String words, String schemas, String prefix) {
    String type = sample.json().replaceAll(".*?\"type\":\"(\\w+)\".*", "$1");
    assertThat(words).contains("| `" + type + "` |");
    String schema = schema(schemas, prefix + type);
    assertThat(schema).contains("type: { const: " + type + " }", "v: { const: 1 }");
    String flat = sample.json().replaceAll("\"(receipt|payload)\":\\{[^}]*}", "\"$1\":1");
    Matcher fields = FIELD.matcher(flat);
    while (fields.find()) {
      assertThat(schema).containsPattern("(?m)^ +" + fields.group(1) + ":");
    }
  }

  @Test
  void everyTopicIsInBothDocumentsAsItIsMade() throws IOException {
    String words = read("topics.md");
    String channels = read("asyncapi.yaml");

    for (TopicSpec spec : TOPICS.specs()) {
      assertThat(words).contains("| `" + spec.name() + "` |");
      assertThat(channels).contains("address: " + spec.name() + "\n");
      String binding = channels.substring(channels.indexOf("topic: " + spec.name() + "\n"));
      binding = binding.substring(0, binding.indexOf("bindingVersion"));
      assertThat(binding).contains("partitions: " + spec.partitions() + "\n");
      if (spec.cleanup() == Topics.Cleanup.DELETE) {
        assertThat(binding).contains("retention.ms: " + spec.retention().toMillis() + "\n");
        assertThat(words)
            .containsPattern("\\| `" + spec.name() + "` .*\\| " + time(spec.retention()) + " \\|");
      } else {
        assertThat(binding).contains("cleanup.policy: [compact]");
        assertThat(words).containsPattern("\\| `" + spec.name() + "` .*\\| compacted \\|");
      }
    }
  }

  private static String time(Duration retention) {
    return retention.toDays() > 0 ? retention.toDays() + " days" : retention.toHours() + " hour";
  }

  @Test
  void everyExampleIsReadByTheProgram() throws Exception {
    Matcher examples = EXAMPLE.matcher(read("topics.md"));
    int read = 0;
    while (examples.find()) {
      String key = examples.group(2).equals("-") ? null : examples.group(2);
      byte[] value = examples.group(3).getBytes(UTF_8);
      if (examples.group(1).equals(TOPICS.entries())) {
        assertThat(CommandJson.write(CommandJson.read(key, value))).isEqualTo(value);
        read++;
      } else if (examples.group(1).equals(TOPICS.outcomes())) {
        assertThat(OutcomeJson.write(OutcomeJson.read(key, value))).isEqualTo(value);
        read++;
      } else if (examples.group(1).equals(TOPICS.roomEvents())) {
        assertThat(RoomEventJson.write(RoomEventJson.read(value))).isEqualTo(value);
        read++;
      } else if (examples.group(1).equals(TOPICS.joins())) {
        assertThat(MembershipJson.write(MembershipJson.read(key, value))).isEqualTo(value);
        read++;
      } else if (examples.group(1).equals(TOPICS.roomCounts())) {
        assertThat(RoomCountJson.write(RoomCountJson.read(key, value))).isEqualTo(value);
        read++;
      } else if (examples.group(1).equals(TOPICS.hotRooms())) {
        assertThat(HotVerdictJson.write(HotVerdictJson.read(key, value))).isEqualTo(value);
        read++;
      }
    }
    assertThat(read).isGreaterThanOrEqualTo(14);
  }

  private static String schema(String document, String type) {
    String schemas = document.substring(document.indexOf("\n  schemas:\n"));
    Matcher schema =
        Pattern.compile("(?ms)^    " + type + ":\n(.*?)(?=^    \\w|\\z)").matcher(schemas);
    assertThat(schema.find()).as("a schema for " + type).isTrue();
    return schema.group(1);
  }

  private static String read(String file) throws IOException {
    return Files.readString(DOCS.resolve(file));
  }
}
