package dev.sluice.notifier.routing;

import dev.sluice.contract.Version;
import dev.sluice.notifier.stomp.Encoded;

/** Everyone's rank in one room at one moment. Immutable. */
public interface Ranks {
  String roomId();

  /** Of the last command it reflects, in the room's partition. */
  long offset();

  /** The 1-based rank of {@code ticket}, or 0 when it doesn't wait. */
  long rankOf(long ticket);

  /** The body that tells {@code requestId} a rank. */
  Encoded body(String requestId, long rank, Version version);
}
