package dev.sluice.notifier.stomp;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ServerFramesTest {
  @Test
  void writesWhatStompAsksFor() {
    assertThat("" + ServerFrames.connected("c-1", Duration.ofSeconds(20), Duration.ofSeconds(10)))
        .isEqualTo(
            "CONNECTED\nversion:1.2\nserver:sluice\nsession:c-1\nheart-beat:20000,10000\n\n\0");
    assertThat("" + ServerFrames.receipt("r:1")).isEqualTo("RECEIPT\nreceipt-id:r\\c1\n\n\0");
    assertThat("" + ServerFrames.error("Bad", null, "{}"))
        .isEqualTo(
            "ERROR\nmessage:Bad\ncontent-type:application/problem+json\ncontent-length:2\n\n{}\0");
    assertThat("" + ServerFrames.error("Bad", "7", "{}")).contains("\nreceipt-id:7\n");
  }

  @Test
  void escapesWhatAClientNamed() {
    Encoded head = ServerFrames.messageHead("a\n\0b\\:\r", "/topic/server");

    assertThat("" + ServerFrames.message(head, 5, Encoded.of("{\"a\":1}")))
        .isEqualTo(
            "MESSAGE\nsubscription:a\\n\0b\\\\\\c\\r\ndestination:/topic/server\n"
                + "content-type:application/json\nmessage-id:5\ncontent-length:7\n\n{\"a\":1}\0");
  }
}
