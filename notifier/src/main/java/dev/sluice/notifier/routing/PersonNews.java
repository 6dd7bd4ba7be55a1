package dev.sluice.notifier.routing;

import dev.sluice.contract.PersonStatus;
import dev.sluice.contract.Version;
import dev.sluice.notifier.stomp.Encoded;

/**
 * What is known of a person as of a version, with the bodies that tell it. Whoever makes it encodes
 * each body once, however many hear it.
 */
public interface PersonNews {
  String roomId();

  String requestId();

  /** Hash of the session that owns the person. */
  String session();

  PersonStatus status();

  long ticket();

  Version version();

  /** 1-based, or 0 when not known or not WAITING. */
  long rank();

  /** The body for {@code kind}; asked only where the status is of that kind. */
  Encoded body(Destination.Kind kind);
}
