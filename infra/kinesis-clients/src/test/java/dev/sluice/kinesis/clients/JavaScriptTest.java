package dev.sluice.kinesis.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** The SDK for JavaScript, version 3. */
@Tag("slow")
@EnabledIf(value = Node.IS_THERE, disabledReason = Node.ABSENT)
@Timeout(200)
class JavaScriptTest {
  @Test
  void itReadsWhatItWrote() throws Exception {
    Node.install();
    Process script =
        Node.start(
            "records.js",
            Endpoints.uri(Endpoints.port()).toString(),
            "javascript",
            String.valueOf(Numbered.KEYS),
            String.valueOf(Numbered.EACH));
    List<Numbered> read =
        new String(script.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .map(Numbered::parse)
            .toList();

    assertThat(script.waitFor()).isZero();
    Numbered.assertAllInOrder(read, Numbered.KEYS, Numbered.EACH);
  }
}
