package dev.sluice.notifier.stomp;

import java.time.Duration;

/** Writes the frames that a STOMP 1.2 server sends, each as the text of one WebSocket message. */
public final class ServerFrames {
  /** A heartbeat: an empty line. */
  public static final String HEARTBEAT = "\n";

  private ServerFrames() {}

  public static String connected(String connectionId, Duration send, Duration expect) {
    return "CONNECTED\nversion:1.2\nserver:sluice\nsession:"
        + connectionId
        + "\nheart-beat:"
        + send.toMillis()
        + ","
        + expect.toMillis()
        + "\n\n\0";
  }

  public static String receipt(String receiptId) {
    return "RECEIPT\nreceipt-id:" + escaped(receiptId) + "\n\n\0";
  }

  /**
   * An ERROR frame.
   *
   * @param receiptId of the frame that caused it, or null
   * @param problem JSON of ASCII characters only
   */
  public static String error(String message, String receiptId, String problem) {
    return "ERROR\nmessage:"
        + escaped(message)
        + (receiptId == null ? "" : "\nreceipt-id:" + escaped(receiptId))
        + "\ncontent-type:application/problem+json\ncontent-length:"
        + problem.length()
        + "\n\n"
        + problem
        + "\0";
  }

  /** The part of MESSAGE frames that is the same for all of one subscription. */
  public static String messageHead(String subscriptionId, String destination) {
    return "MESSAGE\nsubscription:"
        + escaped(subscriptionId)
        + "\ndestination:"
        + escaped(destination)
        + "\ncontent-type:application/json\nmessage-id:";
  }

  /**
   * A MESSAGE frame.
   *
   * @param head from {@link #messageHead}
   * @param body JSON of ASCII characters only
   */
  public static String message(String head, long messageId, String body) {
    return head + messageId + "\ncontent-length:" + body.length() + "\n\n" + body + "\0";
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
