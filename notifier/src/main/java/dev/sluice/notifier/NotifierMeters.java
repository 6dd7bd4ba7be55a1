package dev.sluice.notifier;

import dev.sluice.notifier.connection.PushCounters;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
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
    counter(registry, "opened", "Connections opened", PushCounters::opened);
    counter(registry, "closed", "Connections ended", PushCounters::closed);
    counter(registry, "frames", "Frames that left", PushCounters::sent);
    counter(registry, "replaced", "Last values replaced before they left", PushCounters::replaced);
    counter(registry, "errors", "ERROR frames", PushCounters::errors);
    counter(registry, "overflows", "Connections of clients too slow", PushCounters::overflows);
    counter(registry, "silent", "Connections of clients fallen silent", PushCounters::silent);
  }

  private void gauge(
      MeterRegistry registry, String name, String description, ToDoubleFunction<Notifier> value) {
    Gauge.builder("sluice.push." + name, notifier, value)
        .description(description)
        .register(registry);
  }

  private void counter(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<PushCounters> value) {
    FunctionCounter.builder("sluice.push." + name, notifier.counters(), value)
        .description(description)
        .register(registry);
  }
}
