package dev.sluice.bench.rank;

import dev.sluice.admission.RankIndex;
import java.util.Arrays;
import java.util.Random;

/** Tickets 1 to n of which a third, drawn at random, have left: the same for every subject. */
final class WaitingTickets {
  private static final long SEED = 20261130;

  private final long[] tickets;

  private WaitingTickets(long[] tickets) {
    this.tickets = tickets;
  }

  static WaitingTickets of(int entered) {
    Random random = new Random(SEED);
    long[] kept = new long[entered];
    int count = 0;
    for (int ticket = 1; ticket <= entered; ticket++) {
      if (random.nextInt(3) != 0) {
        kept[count++] = ticket;
      }
    }
    return new WaitingTickets(Arrays.copyOf(kept, count));
  }

  int count() {
    return tickets.length;
  }

  /**
   * @param index 0 to {@link #count()} - 1, which is the ticket's rank less one
   */
  long ticket(int index) {
    return tickets[index];
  }

  /** Everyone enters, then a third leave: as a room comes to it. */
  static RankIndex index(int entered) {
    RankIndex index = RankIndex.empty();
    for (int ticket = 1; ticket <= entered; ticket++) {
      index = index.with(ticket);
    }
    Random random = new Random(SEED);
    for (int ticket = 1; ticket <= entered; ticket++) {
      if (random.nextInt(3) == 0) {
        index = index.without(ticket);
      }
    }
    return index;
  }
}
