package dev.sluice.api.monitoring;

import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.runtime.TopologyMetrics;
import dev.sluice.runtime.TopologyMetrics.PartitionMetrics;
import dev.sluice.runtime.TopologyMetrics.RoomsMetrics;
import dev.sluice.runtime.TopologyMetrics.RoomsPartitionMetrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * The figures of the topology in this process, for Prometheus. Counts are of the partitions owned
 * here, so that those of all instances add up. Thread-safe.
 */
public final class TopologyMeters implements MeterBinder {
  private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final int partitions;
  private final Supplier<TopologyMetrics> source;
  private final LongSupplier nanoTime;
  private final AtomicReference<Taken> taken = new AtomicReference<>();

  /** Figures and when they were taken. */
  private record Taken(TopologyMetrics metrics, long at) {}

  /**
   * @param partitions of {@code entries}; those not owned here show 0
   */
  public TopologyMeters(int partitions, Supplier<TopologyMetrics> source, LongSupplier nanoTime) {
    this.partitions = partitions;
    this.source = source;
    this.nanoTime = nanoTime;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    counter(registry, "sluice.commands", "Commands applied", TopologyMetrics::commandsApplied);
    counter(registry, "sluice.entered", "People given a ticket", TopologyMetrics::entered);
    counter(registry, "sluice.admissions", "People admitted", TopologyMetrics::admitted);
    counter(registry, "sluice.timeouts", "Places that expired", TopologyMetrics::expired);
    counter(registry, "sluice.left", "People who left", TopologyMetrics::left);
    counter(registry, "sluice.completed", "Stays completed", TopologyMetrics::completed);
    counter(registry, "sluice.rejected", "Commands rejected", TopologyMetrics::rejected);
    counter(registry, "sluice.invalid", "Invalid records", TopologyMetrics::invalidRecords);
    counter(registry, "sluice.ticks", "Ticks sent", TopologyMetrics::ticksSent);
    gauge(registry, "sluice.waiting", "People waiting", m -> sum(m, PartitionMetrics::waiting));
    gauge(registry, "sluice.active", "People active", m -> sum(m, PartitionMetrics::active));
    gauge(registry, "sluice.callers", "Callers awaiting", TopologyMetrics::callersWaiting);
    rooms(registry, "events", "Events of rooms summed", RoomsMetrics::eventsSummed);
    rooms(registry, "fed", "Messages kept for fetching", RoomsMetrics::eventsFed);
    rooms(registry, "memberships", "Joins and leaves applied", RoomsMetrics::memberships);
    rooms(registry, "sums.sent", "Sums of logged events sent", RoomsMetrics::sumsSent);
    rooms(registry, "sums", "Sums applied", RoomsMetrics::sumsApplied);
    rooms(registry, "turns", "Rooms that became hot or cooled", RoomsMetrics::turns);
    rooms(registry, "late", "Events that came too late to count", RoomsMetrics::late);
    rooms(registry, "ahead", "Events that claimed to be of the future", RoomsMetrics::ahead);
    rooms(registry, "shed", "Rooms forgotten early", RoomsMetrics::shed);
    rooms(registry, "beyond", "Events in sums with too many cells", RoomsMetrics::beyond);
    rooms(registry, "invalid", "Invalid records of rooms", RoomsMetrics::invalidRecords);
    gauge(registry, "sluice.rooms.hot", "Hot rooms judged here", m -> m.rooms().hot());
    gauge(registry, "sluice.rooms.counted", "Rooms counted here", m -> m.rooms().counted());
    for (int partition = 0; partition < partitions; partition++) {
      bindPartition(registry, partition);
    }
  }

  private void rooms(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<RoomsMetrics> figure) {
    counter(
        registry,
        "sluice.rooms." + name,
        description,
        metrics -> figure.applyAsDouble(metrics.rooms()));
  }

  private void bindPartition(MeterRegistry registry, int partition) {
    Tags tags = Tags.of("partition", Integer.toString(partition));
    Gauge.builder("sluice.lag", this, meters -> meters.ofPartition(partition, p -> p.lag()))
        .description("Commands logged and not yet applied")
        .tags(tags)
        .register(registry);
    Gauge.builder("sluice.rooms.lag", this, meters -> meters.ofRooms(partition))
        .description("Events of rooms logged and not yet summed")
        .tags(tags)
        .register(registry);
    for (PartitionStatus status : PartitionStatus.values()) {
      Gauge.builder(
              "sluice.state",
              this,
              meters ->
                  meters.ofPartition(partition, p -> p.status().equals(status.name()) ? 1 : 0))
          .description("1 for the state that a partition owned here is in")
          .tags(tags.and("state", status.name()))
          .register(registry);
    }
  }

  private double ofPartition(int partition, ToDoubleFunction<PartitionMetrics> figure) {
    return metrics().partitions().stream()
        .filter(metrics -> metrics.partition() == partition)
        .mapToDouble(figure)
        .sum();
  }

  private double ofRooms(int partition) {
    return metrics().rooms().partitions().stream()
        .filter(metrics -> metrics.partition() == partition)
        .mapToDouble(RoomsPartitionMetrics::lag)
        .sum();
  }

  /** One scrape asks for many figures; they are taken together. */
  private TopologyMetrics metrics() {
    Taken present = taken.get();
    long now = nanoTime.getAsLong();
    if (present != null && now - present.at() < FRESH_NANOS) {
      return present.metrics();
    }
    TopologyMetrics metrics = source.get();
    taken.set(new Taken(metrics, now));
    return metrics;
  }

  private void counter(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<TopologyMetrics> figure) {
    FunctionCounter.builder(name, this, meters -> figure.applyAsDouble(meters.metrics()))
        .description(description)
        .register(registry);
  }

  private void gauge(
      MeterRegistry registry,
      String name,
      String description,
      ToDoubleFunction<TopologyMetrics> figure) {
    Gauge.builder(name, this, meters -> figure.applyAsDouble(meters.metrics()))
        .description(description)
        .register(registry);
  }

  private static double sum(TopologyMetrics metrics, ToDoubleFunction<PartitionMetrics> figure) {
    return metrics.partitions().stream().mapToDouble(figure).sum();
  }
}
