package dev.sluice.notifier.stomp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.notifier.stomp.ClientFrame.Command;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StompDecoderTest {
  private static final int LIMIT = 256;

  private final StompDecoder decoder = new StompDecoder(LIMIT);

  @Test
  void readsAFrame() throws Exception {
    assertThat(decode("SUBSCRIBE\nid:0\ndestination:/topic/rank/u-1\n\n\0"))
        .containsExactly(
            new ClientFrame(
                Command.SUBSCRIBE, Map.of("id", "0", "destination", "/topic/rank/u-1")));
  }

  @Test
  void readsSeveralFramesOfOneMessageWithCarriageReturnsAndHeartbeatsBetween() throws Exception {
    List<ClientFrame> frames =
        decode("\n\nUNSUBSCRIBE\r\nid:0\r\n\r\n\0\r\n\nDISCONNECT\n\n\0\n\n");

    assertThat(frames)
        .extracting(ClientFrame::command)
        .containsExactly(Command.UNSUBSCRIBE, Command.DISCONNECT);
    assertThat(frames.get(0).header("id")).isEqualTo("0");
  }

  @Test
  void aHeartbeatIsNoFrame() throws Exception {
    assertThat(decode("\n")).isEmpty();
    assertThat(decode("\r\n")).isEmpty();
    assertThat(decode("")).isEmpty();
  }

  @Test
  void readsFramesWhateverTheirPieces() throws Exception {
    byte[] bytes =
        "SUBSCRIBE\nid:\u00e9\n\n\0\nSEND\ncontent-length:3\n\na\0b\0UNSUBSCRIBE\nid:1\n\n\0"
            .getBytes(UTF_8);
    for (int size = 1; size <= bytes.length; size++) {
      StompDecoder fresh = new StompDecoder(LIMIT);
      List<ClientFrame> frames = new ArrayList<>();
      for (int from = 0; from < bytes.length; from += size) {
        frames.addAll(
            fresh.decode(Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + size))));
      }
      assertThat(frames)
          .extracting(ClientFrame::command)
          .as("pieces of %d", size)
          .containsExactly(Command.SUBSCRIBE, Command.SEND, Command.UNSUBSCRIBE);
      assertThat(frames.get(0).header("id")).isEqualTo("\u00e9");
    }
  }

  @Test
  void unescapesHeadersButNotThoseOfConnect() throws Exception {
    assertThat(decode("SUBSCRIBE\nid:a\\cb\\\\c\\nd\\re\n\n\0").get(0).header("id"))
        .isEqualTo("a:b\\c\nd\re");
    assertThat(decode("CONNECT\nhost:a\\cb:1\n\n\0").get(0).header("host")).isEqualTo("a\\cb:1");
  }

  @Test
  void ofAHeaderGivenTwiceTheFirstCounts() throws Exception {
    assertThat(decode("UNSUBSCRIBE\nid:1\nid:2\n\n\0").get(0).header("id")).isEqualTo("1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NONSENSE\n\n\0",
        "connect\n\n\0",
        "SUBSCRIBE\0",
        "SUBSCRIBE\nid:1\0",
        "SUBSCRIBE\nnocolon\n\n\0",
        "SUBSCRIBE\n:novalue\n\n\0",
        "SUBSCRIBE\nid:a\\tb\n\n\0",
        "SUBSCRIBE\nid:a\\\n\n\0",
        "SUBSCRIBE\nid:1\n\nbody\0",
        "SEND\ncontent-length:two\n\nab\0",
        "SEND\ncontent-length:-1\n\nab\0",
        "SEND\ncontent-length:1\n\nab\0",
        "SEND\ncontent-length:2147483647\n\nab\0",
      })
  void refusesWhatIsNotStomp(String text) {
    assertThatThrownBy(() -> decode(text)).isInstanceOf(MalformedFrameException.class);
  }

  @Test
  void refusesWhatIsNotUtf8() {
    byte[] bytes = "SUBSCRIBE\nid:x\n\n\0".getBytes(UTF_8);
    bytes[13] = (byte) 0xff;

    assertThatThrownBy(() -> decoder.decode(bytes)).isInstanceOf(MalformedFrameException.class);
  }

  @Test
  void refusesAFrameThatIsTooLongAsSoonAsThatIsSeen() throws Exception {
    String head = "SUBSCRIBE\nid:" + "x".repeat(LIMIT / 2);
    assertThat(decode(head)).isEmpty();

    assertThatThrownBy(() -> decode("x".repeat(LIMIT / 2)))
        .isInstanceOf(MalformedFrameException.class)
        .hasMessageContaining("256");
    assertThatThrownBy(
            () -> new StompDecoder(LIMIT).decode(("SEND\n\n" + "x".repeat(300)).getBytes(UTF_8)))
        .isInstanceOf(MalformedFrameException.class);
  }

  @Test
  void refusesMoreHeadersThanAnyoneNeeds() {
    assertThatThrownBy(() -> decode("SUBSCRIBE\n" + "a:1\n".repeat(33) + "\n\0"))
        .isInstanceOf(MalformedFrameException.class);
  }

  private List<ClientFrame> decode(String text) throws MalformedFrameException {
    return decoder.decode(text.getBytes(UTF_8));
  }
}
