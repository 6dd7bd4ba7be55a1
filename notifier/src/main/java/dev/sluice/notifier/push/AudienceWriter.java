package dev.sluice.notifier.push;

import dev.sluice.contract.Audience;

/** Brings audiences to the owners of rooms, or not: they are told again. Thread-safe. */
@FunctionalInterface
public interface AudienceWriter {
  void write(Audience audience);
}
