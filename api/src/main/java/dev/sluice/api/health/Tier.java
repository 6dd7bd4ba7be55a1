package dev.sluice.api.health;

import dev.sluice.query.SystemView.PartitionView;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The topology as this process depends on it. */
public interface Tier {
  /** Whether it can't recover by itself, so that the process should be restarted. */
  boolean isDead();

  /** How it stands; completes within seconds, and never fails. */
  CompletableFuture<Standing> standing();

  /**
   * Whether people may be sent to this process.
   *
   * @param partitions those that decided it
   */
  record Standing(boolean ready, List<PartitionView> partitions) {
    public Standing {
      partitions = List.copyOf(partitions);
    }
  }
}
