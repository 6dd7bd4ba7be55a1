package dev.sluice.api.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.runtime.TopologyMetrics;
import dev.sluice.runtime.TopologyMetrics.PartitionMetrics;
import dev.sluice.runtime.TopologyMetrics.RoomsMetrics;
import dev.sluice.runtime.TopologyMetrics.RoomsPartitionMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TopologyMetersTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final AtomicLong nanos = new AtomicLong();
  private final AtomicInteger taken = new AtomicInteger();

  @Test
  void figures_of_the_partitions_owned_here_add_up_and_others_show_nothing() {
    bind();

    assertThat(registry.get("sluice.admissions").functionCounter().count()).isEqualTo(7);
    assertThat(registry.get("sluice.timeouts").functionCounter().count()).isEqualTo(2);
    assertThat(registry.get("sluice.waiting").gauge().value()).isEqualTo(30);
    assertThat(registry.get("sluice.active").gauge().value()).isEqualTo(3);
    assertThat(lag("1")).isEqualTo(5);
    assertThat(lag("2")).isZero();
    assertThat(state("0", "READY")).isEqualTo(1);
    assertThat(state("0", "HALTED")).isZero();
    assertThat(state("1", "CATCHING_UP")).isEqualTo(1);
    assertThat(state("2", "READY")).isZero();
    assertThat(registry.get("sluice.rooms.turns").functionCounter().count()).isEqualTo(4);
    assertThat(registry.get("sluice.rooms.late").functionCounter().count()).isEqualTo(12);
    assertThat(registry.get("sluice.rooms.hot").gauge().value()).isEqualTo(1);
    assertThat(registry.get("sluice.rooms.counted").gauge().value()).isEqualTo(30);
    assertThat(registry.get("sluice.rooms.lag").tag("partition", "1").gauge().value())
        .isEqualTo(17);
  }

  @Test
  void one_scrape_takes_the_figures_once() {
    bind();
    lag("0");
    lag("1");
    assertThat(taken).hasValue(1);
    nanos.addAndGet(1_000_000_000);
    lag("0");
    assertThat(taken).hasValue(2);
  }

  private void bind() {
    new TopologyMeters(
            3,
            () -> {
              taken.incrementAndGet();
              return metrics();
            },
            nanos::get)
        .bindTo(registry);
  }

  private double lag(String partition) {
    return registry.get("sluice.lag").tag("partition", partition).gauge().value();
  }

  private double state(String partition, String state) {
    return registry
        .get("sluice.state")
        .tags("partition", partition, "state", state)
        .gauge()
        .value();
  }

  private static TopologyMetrics metrics() {
    return new TopologyMetrics(
        "RUNNING",
        "RUNNING",
        100,
        50,
        1,
        40,
        7,
        2,
        3,
        4,
        5,
        6,
        1,
        0,
        2,
        List.of(
            new PartitionMetrics(0, "READY", 60, 0, 10, 1),
            new PartitionMetrics(1, "CATCHING_UP", 40, 5, 20, 2)),
        new RoomsMetrics(
            "RUNNING",
            9,
            8,
            7,
            6,
            5,
            4,
            1,
            30,
            12,
            13,
            14,
            2,
            3,
            0,
            List.of(new RoomsPartitionMetrics(1, "READY", 17, 0))));
  }
}
