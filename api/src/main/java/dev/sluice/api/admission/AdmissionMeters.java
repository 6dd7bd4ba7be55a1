package dev.sluice.api.admission;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The figures of the admission calls that this instance has answered. Thread-safe. */
public final class AdmissionMeters {
  private final Map<Entry, Counter> entries = new EnumMap<>(Entry.class);
  private final Timer decision;

  /** How an entry was answered. */
  private enum Entry {
    WAITING,
    ADMITTED,
    /** Found ended by the time of the answer. */
    ENDED,
    PENDING,
    REFUSED
  }

  public AdmissionMeters(MeterRegistry registry) {
    for (Entry entry : Entry.values()) {
      entries.put(
          entry,
          Counter.builder("sluice.entries")
              .description("Entries answered by this instance")
              .tag("result", entry.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
    this.decision =
        Timer.builder("sluice.decision")
            .description("From the append of a command to its answer")
            .serviceLevelObjectives(
                Duration.ofMillis(5),
                Duration.ofMillis(10),
                Duration.ofMillis(25),
                Duration.ofMillis(50),
                Duration.ofMillis(100),
                Duration.ofMillis(250),
                Duration.ofSeconds(1))
            .register(registry);
  }

  void entered(Reply reply) {
    entries.get(kindOf(reply)).increment();
  }

  void decided(long nanos) {
    decision.record(nanos, TimeUnit.NANOSECONDS);
  }

  private static Entry kindOf(Reply reply) {
    if (reply instanceof Reply.Found found) {
      return switch (found.person().status()) {
        case WAITING -> Entry.WAITING;
        case ADMITTED -> Entry.ADMITTED;
        case COMPLETED, LEFT, EXPIRED -> Entry.ENDED;
      };
    }
    return reply instanceof Reply.Pending ? Entry.PENDING : Entry.REFUSED;
  }
}
