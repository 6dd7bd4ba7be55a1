package dev.sluice.query;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The owners as told by other processes, for one that runs no topology itself. Asks one of the
 * peers after the other when what is known is old or wrong; answers with what it knows meanwhile.
 */
public final class PeerOwners implements Owners {
  private static final long FRESH_NANOS = 1_000_000_000L;
  private static final long LEAST_APART_NANOS = 50_000_000L;

  private final QueryClient client;
  private final OwnedKind of;
  private final List<Address> peers;
  private final AtomicInteger next = new AtomicInteger();
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile Map<Integer, Address> known = Map.of();
  private volatile long askedNanos = System.nanoTime() - FRESH_NANOS;

  /**
   * @param of what is owned
   * @param peers processes that run a topology, at least one; any of them knows all owners
   */
  public PeerOwners(QueryClient client, OwnedKind of, List<Address> peers) {
    if (peers.isEmpty()) {
      throw new IllegalArgumentException("no peers to ask for owners");
    }
    this.client = client;
    this.of = of;
    this.peers = List.copyOf(peers);
  }

  @Override
  public Map<Integer, Address> all() {
    askIfOlderThan(FRESH_NANOS);
    return known;
  }

  @Override
  public void refresh() {
    askIfOlderThan(LEAST_APART_NANOS);
  }

  private void askIfOlderThan(long ageNanos) {
    if (System.nanoTime() - askedNanos < ageNanos || !asking.compareAndSet(false, true)) {
      return;
    }
    askedNanos = System.nanoTime();
    Address peer = peers.get(Math.floorMod(next.getAndIncrement(), peers.size()));
    var unused =
        client
            .owners(peer, of)
            .whenComplete(
                (owners, failure) -> {
                  if (failure == null && !owners.isEmpty()) {
                    known = Map.copyOf(owners);
                  }
                  asking.set(false);
                });
  }
}
