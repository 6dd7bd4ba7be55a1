package dev.sluice.settings;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.contract.Topics;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.test.TestRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GateTopologyTest {
  private static final long AT = 1_764_417_600_123L;
  private static final Topics TOPICS = new Topics("sluice.", 8);

  private TopologyTestDriver driver;
  private TestInputTopic<byte[], byte[]> config;
  private TestOutputTopic<byte[], byte[]> settings;
  private TestOutputTopic<byte[], byte[]> history;

  @BeforeEach
  void start() {
    driver = new TopologyTestDriver(GateTopology.of(TOPICS), new Properties());
    config =
        driver.createInputTopic(
            TOPICS.config(), new ByteArraySerializer(), new ByteArraySerializer());
    settings =
        driver.createOutputTopic(
            TOPICS.settings(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    history =
        driver.createOutputTopic(
            TOPICS.configHistory(), new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  @AfterEach
  void stop() {
    driver.close();
  }

  @Test
  void namesOfNodesAndStoresStayAsTheyWere() throws IOException {
    assertThat(GateTopology.of(TOPICS).describe().toString()).isEqualTo(golden());
  }

  @Test
  void anAcceptedValueGoesToBothTopics() {
    write("admission.capacity@room=lobby", " 7 ", "ann");

    TestRecord<byte[], byte[]> setting = settings.readRecord();
    assertThat(text(setting.key())).isEqualTo("admission.capacity@room=lobby");
    assertThat(text(setting.value()))
        .isEqualTo(
            "{\"type\":\"SETTING\",\"v\":1,\"value\":7,\"who\":\"ann\","
                + "\"at\":\"2025-11-29T12:00:00.123Z\",\"offset\":0}");
    TestRecord<byte[], byte[]> attempt = history.readRecord();
    assertThat(text(attempt.key())).isEqualTo("admission.capacity@room=lobby");
    assertThat(text(attempt.value()))
        .isEqualTo(
            "{\"type\":\"ATTEMPT\",\"v\":1,\"setting\":\"admission.capacity@room=lobby\","
                + "\"value\":\" 7 \",\"accepted\":true,\"who\":\"ann\","
                + "\"at\":\"2025-11-29T12:00:00.123Z\",\"offset\":0}");
  }

  @Test
  void aTombstoneUnsetsAndCarriesItsOffset() {
    write("admission.capacity", "7", "ann");
    write("admission.capacity", null, "bob");

    settings.readRecord();
    TestRecord<byte[], byte[]> tombstone = settings.readRecord();
    assertThat(tombstone.value()).isNull();
    assertThat(text(tombstone.headers().lastHeader("sluice-config-offset").value())).isEqualTo("1");
    assertThat(text(tombstone.headers().lastHeader("sluice-who").value())).isEqualTo("bob");
    assertThat(history.getQueueSize()).isEqualTo(2);
  }

  @Test
  void aRefusedRecordGoesToTheHistoryOnly() {
    write(null, "7", null);
    write("admission.capacity", "{", null);
    write("admission.speed", null, null);
    write("x".repeat(2_000_000), "y".repeat(2_000_000), "z".repeat(2_000_000));

    assertThat(settings.isEmpty()).isTrue();
    List<TestRecord<byte[], byte[]>> attempts = history.readRecordsToList();
    assertThat(attempts).hasSize(4);
    assertThat(attempts)
        .allSatisfy(
            attempt -> {
              assertThat(text(attempt.value())).contains("\"accepted\":false", "\"reason\":\"");
              assertThat(attempt.value().length).isLessThan(4_000);
            });
    assertThat(attempts.get(0).key()).isNull();
  }

  @Test
  void aRecordReadAgainBringsNoOldValueBack() {
    write("admission.capacity", "7", "ann");
    driver
        .<String, Long>getKeyValueStore(GateTopology.IN_FORCE)
        .put("admission.capacity", Long.MAX_VALUE);
    write("admission.capacity", "8", "ann");

    assertThat(settings.getQueueSize()).isEqualTo(1);
    assertThat(history.getQueueSize()).isEqualTo(1);
  }

  private void write(String key, String value, String who) {
    Headers headers = new RecordHeaders();
    if (who != null) {
      headers.add("sluice-who", bytes(who));
    }
    config.pipeInput(new TestRecord<>(bytes(key), bytes(value), headers, AT));
  }

  private static byte[] bytes(String text) {
    return text == null ? null : text.getBytes(UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  private static String golden() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            GateTopologyTest.class.getResourceAsStream("settings-topology.txt"))) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }
}
