package dev.sluice.notifier.push;

import dev.sluice.contract.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The stream of what happens, of all partitions. */
@FunctionalInterface
public interface LiveOutcomes {
  /**
   * Tells {@code listener} each outcome, in order within a partition. Where there is a second way,
   * an outcome may come by it too, from another thread, at any time.
   *
   * @return done once every outcome written from then on will be told
   */
  CompletableFuture<Void> follow(Consumer<Outcome> listener);
}
