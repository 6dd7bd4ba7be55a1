package dev.sluice.notifier.outbox;

import dev.sluice.notifier.stomp.Encoded;

/** Something to send to one connection. A body is shared by all who get it, never copied here. */
public sealed interface Parcel {
  /** In bytes. */
  int size();

  /** A whole frame. */
  record Frame(Encoded frame) implements Parcel {
    @Override
    public int size() {
      return frame.size();
    }
  }

  /** A MESSAGE frame, finished when it is sent. */
  record Message(Encoded head, Encoded body) implements Parcel {
    /** For the identifier, the length and what is between the parts. */
    private static final int FRAMING = 48;

    @Override
    public int size() {
      return head.size() + body.size() + FRAMING;
    }
  }
}
