package dev.sluice.notifier;

import dev.sluice.notifier.connection.Refusal;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The figures of push as meters. */
final class NotifierMeters implements MeterBinder {
  private final Notifier notifier;

  NotifierMeters(Notifier notifier) {
    this.notifier = notifier;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    gauge(registry, "connections", "Open connections", all -> all.connections().size());
    gauge(
        registry,
        "subscriptions",
        "Subscriptions of all connections",
        all -> all.connections().subscriptionCount());
    gauge(registry, "people", "People with a subscriber", all -> all.table().peopleCount());
    gauge(
        registry,
        "outbox.bytes",
        "Bytes waiting and in flight on all connections",
        all -> all.connections().outboxBytes());
    gauge(
        registry,
        "rooms",
        "Rooms whose events are followed",
        all -> all.table().followedRoomCount());
    counter(registry, "rooms.pushes", "Pushes of rooms", all -> all.rooms().pushed());
    counter(registry, "rooms.held", "Events not pushed at once", all -> all.rooms().heldBack());
    counter(registry, "opened", "Connections opened", all -> all.counters().opened());
    counter(registry, "closed", "Connections ended", all -> all.counters().closed());
    counter(registry, "frames", "Frames that left", all -> all.counters().sent());
    counter(
        registry,
        "replaced",
        "Last values replaced before they left",
        all -> all.counters().replaced());
    counter(registry, "errors", "ERROR frames", all -> all.counters().errors());
    counter(
        registry,
        "overflows",
        "Connections of clients too slow",
        all -> all.counters().overflows());
    counter(
        registry, "silent", "Connections of clients fallen silent", all -> all.counters().silent());
    for (Refusal refusal : Refusal.values()) {
      FunctionCounter.builder(
              "sluice.push.refused", notifier, all -> all.counters().refused(refusal))
          .description("Handshakes refused")
          .tag("reason", refusal.name().toLowerCase(Locale.ROOT))
          .register(registry);
    }
  }

  private void gauge(
      MeterRegistry registry, String name, String description, ToDoubleFunction<Notifier> value) {
    Gauge.builder("sluice.push." + name, notifier, value)
        .description(description)
        .register(registry);
  }

  private void counter(
      MeterRegistry registry, String name, String description, ToDoubleFunction<Notifier> value) {
    FunctionCounter.builder("sluice.push." + name, notifier, value)
        .description(description)
        .register(registry);
  }
}
