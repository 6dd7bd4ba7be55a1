package dev.sluice.api.health;

import dev.sluice.runtime.TopologyRuntime;
import java.util.concurrent.CompletableFuture;

/** The topology in this very process: ready once all that it owns has caught up. */
public record LocalTier(TopologyRuntime runtime) implements Tier {
  @Override
  public boolean isDead() {
    return runtime.isDead();
  }

  @Override
  public CompletableFuture<Standing> standing() {
    return CompletableFuture.completedFuture(new Standing(runtime.isReady(), runtime.partitions()));
  }
}
