package dev.sluice.api.monitoring;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.sluice.api.admin.AdmissionAdmin;
import dev.sluice.contract.HotVerdict;
import dev.sluice.hot.edge.EdgeCounters;
import dev.sluice.query.HeatSystem;
import dev.sluice.query.HeatSystem.PartitionHeat;
import dev.sluice.query.RoomHeat;
import dev.sluice.query.RoomQueries;
import dev.sluice.query.SystemView.PartitionStatus;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** How busy the rooms are and how the counting does, for operators and their pages. */
@RestController
@RequestMapping("/api/admin/monitoring/rooms")
public final class RoomsMonitoring {
  private final RoomQueries queries;
  private final EdgeCounters edge;
  private final RedisLink redis;
  private final Clock clock;

  /**
   * All of it in one answer.
   *
   * @param at when it was so, by this instance's clock
   * @param redis null without one
   */
  record View(
      Instant at,
      List<Room> rooms,
      List<Partition> partitions,
      Decision decision,
      Redis redis,
      Edge edge) {}

  /** One of the busiest rooms; {@code because} and {@code since} are null while it isn't hot. */
  record Room(
      String roomId,
      boolean hot,
      String because,
      long rate,
      long demand,
      long threshold,
      int window,
      long audience,
      Instant since,
      Map<String, Slice> byCountry,
      Map<String, Slice> byApp) {
    static Room of(RoomHeat heat) {
      HotVerdict verdict = heat.verdict();
      return new Room(
          heat.roomId(),
          heat.isHot(),
          verdict == null ? null : verdict.because(),
          heat.rate(),
          heat.demand(),
          heat.threshold(),
          heat.windowSeconds(),
          heat.audience(),
          verdict == null ? null : Instant.ofEpochMilli(verdict.since()),
          slices(heat.byCountry()),
          slices(heat.byApp()));
    }

    private static Map<String, Slice> slices(Map<String, RoomHeat.Slice> heat) {
      Map<String, Slice> slices = new TreeMap<>();
      heat.forEach((name, slice) -> slices.put(name, Slice.of(slice)));
      return slices;
    }
  }

  /** Part of a room's events; without a threshold of its own it has none. */
  record Slice(long rate, @JsonInclude(JsonInclude.Include.NON_NULL) Long threshold) {
    static Slice of(RoomHeat.Slice slice) {
      return new Slice(slice.rate(), slice.threshold() == 0 ? null : slice.threshold());
    }
  }

  /** A partition of {@code room-counts}; see {@link PartitionHeat}. */
  record Partition(
      int partition,
      PartitionStatus status,
      String owner,
      long lag,
      long eventLag,
      int rooms,
      long late,
      long ahead,
      long shed) {
    static Partition of(PartitionHeat heat) {
      return new Partition(
          heat.partition(),
          heat.status(),
          heat.owner(),
          heat.lag(),
          heat.eventLag(),
          heat.rooms(),
          heat.late(),
          heat.ahead(),
          heat.shed());
    }
  }

  /**
   * How long the last decisions took, from the append of a sum to the verdict; null without any.
   */
  record Decision(Long p50, Long p99, Long max, int count) {
    static Decision of(List<PartitionHeat> partitions) {
      long[] millis =
          partitions.stream()
              .flatMap(partition -> partition.decisionMillis().stream())
              .mapToLong(Long::longValue)
              .sorted()
              .toArray();
      return new Decision(
          quantile(millis, 0.5), quantile(millis, 0.99), quantile(millis, 1), millis.length);
    }

    private static Long quantile(long[] sorted, double part) {
      int rank = (int) Math.ceil(part * sorted.length);
      return sorted.length == 0 ? null : sorted[rank - 1];
    }
  }

  /** See {@link RedisLink}. */
  record Redis(RedisLink.State state, long lagMillis) {}

  /** What this instance counts itself. */
  record Edge(int rooms, long shed) {}

  public RoomsMonitoring(
      RoomQueries queries, EdgeCounters edge, Optional<RedisLink> redis, Clock clock) {
    this.clock = clock;
    this.queries = queries;
    this.edge = edge;
    this.redis = redis.orElse(null);
  }

  @GetMapping
  CompletableFuture<View> rooms() {
    return AdmissionAdmin.orNotNow(queries.heatSystem()).thenApply(this::view);
  }

  private View view(HeatSystem system) {
    return new View(
        clock.instant(),
        system.rooms().stream().map(Room::of).toList(),
        system.partitions().stream().map(Partition::of).toList(),
        Decision.of(system.partitions()),
        redis == null ? null : new Redis(redis.state(), redis.lagMillis()),
        new Edge(edge.rooms(), edge.shed()));
  }
}
