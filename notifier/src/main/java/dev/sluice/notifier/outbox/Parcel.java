package dev.sluice.notifier.outbox;

/** Something to send to one connection. A body is shared by all who get it, never copied here. */
public sealed interface Parcel {
  /** Characters it holds, all of one byte but in a client's own identifiers. */
  int size();

  /** A whole frame. */
  record Frame(String text) implements Parcel {
    @Override
    public int size() {
      return text.length();
    }
  }

  /** A MESSAGE frame, finished when it is sent. */
  record Message(String head, String body) implements Parcel {
    /** For the identifier, the length and what is between the parts. */
    private static final int FRAMING = 48;

    @Override
    public int size() {
      return head.length() + body.length() + FRAMING;
    }
  }

  /** A WebSocket ping, which any client answers, one with sleeping timers too. */
  record Ping() implements Parcel {
    @Override
    public int size() {
      return 2;
    }
  }
}
