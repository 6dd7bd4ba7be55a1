package dev.sluice.api.health;

import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.SystemView;
import dev.sluice.query.SystemView.PartitionStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A topology in other processes: ready as soon as any of its partitions is. Waiting for all would
 * take every instance out of service for one partition that moves.
 */
public record RemoteTier(AdmissionQueries queries) implements Tier {
  @Override
  public boolean isDead() {
    return false;
  }

  @Override
  public CompletableFuture<Standing> standing() {
    return queries
        .system()
        .handle((system, failure) -> failure == null ? of(system) : new Standing(false, List.of()));
  }

  private static Standing of(SystemView system) {
    boolean ready =
        system.partitions().stream()
            .anyMatch(partition -> partition.status() == PartitionStatus.READY);
    return new Standing(ready, system.partitions());
  }
}
