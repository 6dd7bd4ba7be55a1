package dev.sluice.notifier.stomp;

import java.util.Map;

/**
 * A frame from a client. Of its body nothing is kept: only SEND may have one, and Sluice takes no
 * SEND.
 *
 * @param headers unescaped; of a header given twice the first counts
 */
public record ClientFrame(Command command, Map<String, String> headers) {
  /** What a client may say. */
  public enum Command {
    CONNECT,
    STOMP,
    SEND,
    SUBSCRIBE,
    UNSUBSCRIBE,
    ACK,
    NACK,
    BEGIN,
    COMMIT,
    ABORT,
    DISCONNECT
  }

  public ClientFrame {
    headers = Map.copyOf(headers);
  }

  /** The header's value, or null. */
  public String header(String name) {
    return headers.get(name);
  }
}
