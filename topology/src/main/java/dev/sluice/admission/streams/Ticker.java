package dev.sluice.admission.streams;

import dev.sluice.contract.Command;
import dev.sluice.contract.Receipt;
import dev.sluice.log.CommandLog;
import dev.sluice.query.OwnedPartition;
import dev.sluice.query.OwnedPartitions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sends a tick to each owned partition in which something is due and no command has come to bring
 * it about. At most one is on its way to a partition, so a pause or a lag is followed by one tick
 * and not by a burst of them. Driven by one thread.
 */
public final class Ticker {
  private static final long APART_NANOS = Duration.ofMillis(50).toNanos();

  private final OwnedPartitions owned;
  private final CommandLog log;
  private final Map<Integer, Sent> last = new HashMap<>();
  private final LongAdder sent = new LongAdder();

  /** A tick sent to a partition in the time for which this process owns it without a break. */
  private record Sent(OwnedPartition to, long atNanos, CompletableFuture<Receipt> appended) {
    boolean isOnItsWay() {
      if (!appended.isDone()) {
        return true;
      }
      return !appended.isCompletedExceptionally() && to.applied() < appended.join().offset();
    }
  }

  public Ticker(OwnedPartitions owned, CommandLog log) {
    this.owned = owned;
    this.log = log;
  }

  /** Looks at all partitions once. */
  public void look(long nowNanos) {
    for (OwnedPartition partition : owned.all()) {
      if (partition.wantsTick(nowNanos) && mayTick(partition, nowNanos)) {
        tick(partition, nowNanos);
      }
    }
  }

  private boolean mayTick(OwnedPartition partition, long nowNanos) {
    Sent before = last.get(partition.partition());
    return before == null
        || before.to() != partition
        || (!before.isOnItsWay() && nowNanos - before.atNanos() >= APART_NANOS);
  }

  private void tick(OwnedPartition partition, long nowNanos) {
    CompletableFuture<Receipt> appended =
        log.append(partition.partition(), null, new Command.Tick());
    last.put(partition.partition(), new Sent(partition, nowNanos, appended));
    sent.increment();
  }

  /** Ticks sent since the start. Any thread. */
  public long sent() {
    return sent.sum();
  }
}
