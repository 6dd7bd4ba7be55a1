package dev.sluice.kinesis.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.kinesis.wire.Format;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/**
 * A message of {@code application/vnd.amazon.eventstream}: lengths of all and of the headers, their
 * CRC, headers, payload, CRC of all before it.
 */
final class EventFrame {
  static final String CONTENT_TYPE = "application/vnd.amazon.eventstream";

  private static final int PRELUDE_BYTES = 12;
  private static final int CRC_BYTES = 4;
  private static final byte STRING = 7;
  private static final String JSON = Format.JSON.contentType();

  private EventFrame() {}

  /** What begins a stream, before the first event. */
  static ByteBuffer initialResponse() {
    return event("initial-response", ByteBuffer.wrap("{}".getBytes(UTF_8)));
  }

  static ByteBuffer event(String type, ByteBuffer payload) {
    return frame(payload, ":message-type", "event", ":event-type", type, ":content-type", JSON);
  }

  static ByteBuffer exception(String type, ByteBuffer payload) {
    return frame(
        payload, ":message-type", "exception", ":exception-type", type, ":content-type", JSON);
  }

  /**
   * @param headers names and values in turn
   */
  private static ByteBuffer frame(ByteBuffer payload, String... headers) {
    List<byte[]> encoded = new ArrayList<>(headers.length);
    int headerBytes = 0;
    for (int i = 0; i < headers.length; i++) {
      byte[] bytes = headers[i].getBytes(UTF_8);
      encoded.add(bytes);
      headerBytes += bytes.length + (i % 2 == 0 ? 1 : 3);
    }
    ByteBuffer frame =
        ByteBuffer.allocate(PRELUDE_BYTES + headerBytes + payload.remaining() + CRC_BYTES);
    frame.putInt(frame.capacity()).putInt(headerBytes).putInt(crc(frame));
    for (int i = 0; i < headers.length; i += 2) {
      frame.put((byte) encoded.get(i).length).put(encoded.get(i));
      frame.put(STRING).putShort((short) encoded.get(i + 1).length).put(encoded.get(i + 1));
    }
    frame.put(payload);
    frame.putInt(crc(frame));
    return frame.flip();
  }

  /** Of all that is written so far. */
  private static int crc(ByteBuffer frame) {
    CRC32 crc = new CRC32();
    crc.update(frame.duplicate().flip());
    return (int) crc.getValue();
  }
}
