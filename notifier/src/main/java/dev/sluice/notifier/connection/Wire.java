package dev.sluice.notifier.connection;

/** The socket under a connection. No call waits for the other side. Thread-safe. */
public interface Wire {
  /** Sends one text message; {@code sent} hears of it once, on any thread, perhaps in the call. */
  void send(String text, Sent sent);

  /** Sends a WebSocket ping. */
  void ping(Sent sent);

  /** Begins to close, after what is in flight. Called once at most. */
  void close(int code, String reason);

  /** Ends the socket as it is. */
  void drop();

  /** What became of something sent. */
  interface Sent {
    /** It has left this process. */
    void succeeded();

    /** It can't be sent, nor anything after it. */
    void failed(Throwable cause);
  }
}
