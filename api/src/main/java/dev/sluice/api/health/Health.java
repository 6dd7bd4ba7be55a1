package dev.sluice.api.health;

import dev.sluice.api.monitoring.RedisLink;
import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemType;
import dev.sluice.query.SystemView.PartitionStatus;
import dev.sluice.query.SystemView.PartitionView;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * For probes. Alive: the process needn't be restarted; restoring state for a minute is being alive.
 * Ready: it has caught up and isn't about to stop, so it may be sent people.
 */
@RestController
@RequestMapping("/health")
public final class Health {
  private static final int RETRY_AFTER = 1;

  private final Tier tier;
  private final RedisLink redis;
  private final ApplicationAvailability availability;

  /** The process lives. */
  record Live(String status) {}

  /**
   * People may be sent here.
   *
   * @param redis null without one; whatever its state, it keeps nobody from being ready
   */
  record Ready(String status, List<Partition> partitions, RedisLink.State redis) {}

  /** A partition, without a word on where it is. */
  record Partition(int partition, PartitionStatus status, long appliedOffset, long lag) {
    static Partition of(PartitionView view) {
      return new Partition(view.partition(), view.status(), view.appliedOffset(), view.lag());
    }
  }

  public Health(Tier tier, Optional<RedisLink> redis, ApplicationAvailability availability) {
    this.tier = tier;
    this.redis = redis.orElse(null);
    this.availability = availability;
  }

  @GetMapping("/live")
  ResponseEntity<Live> live() {
    if (tier.isDead()) {
      throw Problem.passing(
              ProblemType.NOT_ALIVE, "This process can't recover by itself.", RETRY_AFTER)
          .asException();
    }
    return ResponseEntity.ok().cacheControl(CacheControl.noStore()).body(new Live("UP"));
  }

  @GetMapping("/ready")
  CompletableFuture<ResponseEntity<Ready>> ready() {
    if (availability.getState(ReadinessState.class) == ReadinessState.REFUSING_TRAFFIC) {
      throw Problem.passing(ProblemType.NOT_READY, "This process is about to stop.", RETRY_AFTER)
          .asException();
    }
    return tier.standing()
        .thenApply(
            standing -> {
              if (!standing.ready()) {
                throw Problem.passing(
                        ProblemType.NOT_READY, whyNot(standing.partitions()), RETRY_AFTER)
                    .asException();
              }
              List<Partition> partitions =
                  standing.partitions().stream().map(Partition::of).toList();
              return ResponseEntity.ok()
                  .cacheControl(CacheControl.noStore())
                  .body(new Ready("UP", partitions, redis == null ? null : redis.state()));
            });
  }

  private static String whyNot(List<PartitionView> partitions) {
    String unready =
        partitions.stream()
            .filter(partition -> partition.status() != PartitionStatus.READY)
            .map(Health::words)
            .collect(Collectors.joining("; "));
    return unready.isEmpty() ? "Not every partition has an owner yet." : unready + ".";
  }

  private static String words(PartitionView partition) {
    String state =
        switch (partition.status()) {
          case CATCHING_UP -> "is catching up, " + partition.lag() + " commands to go";
          case HALTED -> "is halted: " + partition.detail();
          case UNOWNED -> "has no owner";
          case READY -> "is ready";
        };
    return "Partition " + partition.partition() + " " + state;
  }
}
