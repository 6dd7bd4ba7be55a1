package dev.sluice.notifier.stomp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.time.Duration;

/** Writes the frames that a STOMP 1.2 server sends, each the text of one WebSocket message. */
public final class ServerFrames {
  /** A heartbeat: an empty line. */
  public static final Encoded HEARTBEAT = Encoded.of("\n");

  private static final Encoded CONTENT_LENGTH = Encoded.of("\ncontent-length:");
  private static final Encoded BLANK_LINE = Encoded.of("\n\n");

  private ServerFrames() {}

  public static Encoded connected(String connectionId, Duration send, Duration expect) {
    return Encoded.of(
        "CONNECTED\nversion:1.2\nserver:sluice\nsession:"
            + connectionId
            + "\nheart-beat:"
            + send.toMillis()
            + ","
            + expect.toMillis()
            + "\n\n\0");
  }

  public static Encoded receipt(String receiptId) {
    return Encoded.of("RECEIPT\nreceipt-id:" + escaped(receiptId) + "\n\n\0");
  }

  /**
   * An ERROR frame.
   *
   * @param receiptId of the frame that caused it, or null
   * @param problem JSON of ASCII characters only
   */
  public static Encoded error(String message, String receiptId, String problem) {
    return Encoded.of(
        "ERROR\nmessage:"
            + escaped(message)
            + (receiptId == null ? "" : "\nreceipt-id:" + escaped(receiptId))
            + "\ncontent-type:application/problem+json\ncontent-length:"
            + problem.length()
            + "\n\n"
            + problem
            + "\0");
  }

  /** The part of MESSAGE frames that is the same for all of one subscription. */
  public static Encoded messageHead(String subscriptionId, String destination) {
    return Encoded.of(
        "MESSAGE\nsubscription:"
            + escaped(subscriptionId)
            + "\ndestination:"
            + escaped(destination)
            + "\ncontent-type:application/json\nmessage-id:");
  }

  /**
   * A MESSAGE frame.
   *
   * @param head from {@link #messageHead}
   */
  public static Encoded message(Encoded head, long messageId, Encoded body) {
    byte[] id = digits(messageId);
    byte[] length = digits(body.size());
    byte[] frame =
        new byte
            [head.size()
                + id.length
                + CONTENT_LENGTH.size()
                + length.length
                + BLANK_LINE.size()
                + body.size()
                + 1];
    int at = head.copyTo(frame, 0);
    System.arraycopy(id, 0, frame, at, id.length);
    at = CONTENT_LENGTH.copyTo(frame, at + id.length);
    System.arraycopy(length, 0, frame, at, length.length);
    at = BLANK_LINE.copyTo(frame, at + length.length);
    body.copyTo(frame, at);
    return Encoded.owning(frame);
  }

  private static byte[] digits(long number) {
    return Long.toString(number).getBytes(US_ASCII);
  }

  private static String escaped(String text) {
    StringBuilder escaped = null;
    for (int i = 0; i < text.length(); i++) {
      String replacement =
          switch (text.charAt(i)) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case ':' -> "\\c";
            case '\\' -> "\\\\";
            default -> null;
          };
      if (replacement != null && escaped == null) {
        escaped = new StringBuilder(text.length() + 8).append(text, 0, i);
      }
      if (escaped != null) {
        if (replacement == null) {
          escaped.append(text.charAt(i));
        } else {
          escaped.append(replacement);
        }
      }
    }
    return escaped == null ? text : escaped.toString();
  }
}
