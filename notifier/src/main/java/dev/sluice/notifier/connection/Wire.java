package dev.sluice.notifier.connection;

import dev.sluice.notifier.stomp.Encoded;
import java.util.List;

/** The socket under a connection. No call waits for the other side. Thread-safe. */
public interface Wire {
  /**
   * Sends messages of text, in one go; {@code sent} hears of all of them together once, on any
   * thread, perhaps in the call.
   *
   * @param messages one at least
   */
  void send(List<Encoded> messages, Sent sent);

  /** Sends a WebSocket ping, or not if nothing can be sent any more. */
  void ping();

  /** Begins to close, after what is in flight. Called once at most. */
  void close(int code, String reason);

  /** Ends the socket as it is. */
  void drop();

  /** What became of something sent. */
  interface Sent {
    /** They have left this process. */
    void succeeded();

    /** They can't all be sent, nor anything after them. */
    void failed(Throwable cause);
  }
}
