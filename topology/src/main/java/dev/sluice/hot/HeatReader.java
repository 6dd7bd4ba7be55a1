package dev.sluice.hot;

import dev.sluice.query.QueryException;
import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.RoomHeat;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Reads the heat of a partition's rooms, with its owner's lock, for as long as a look takes.
 * Thread-safe.
 */
public final class HeatReader {
  private final HeatPartition heat;
  private final Lock lock;
  private final LongSupplier steady;

  /**
   * Figures of a partition.
   *
   * @param rooms counted now
   * @param hot of them
   * @param late as {@link HeatPartition#late}
   * @param ahead as {@link HeatPartition#ahead}
   * @param shed as {@link HeatPartition#shed}
   * @param beyond as {@link HeatPartition#beyond}
   * @param decisionMillis as {@link HeatPartition#decisionMillis}
   */
  public record Figures(
      int rooms,
      int hot,
      long late,
      long ahead,
      long shed,
      long beyond,
      List<Long> decisionMillis) {}

  /**
   * @param lock held by the owner while it changes {@code heat}
   * @param steady the owner's clock
   */
  public HeatReader(HeatPartition heat, Lock lock, LongSupplier steady) {
    this.heat = heat;
    this.lock = lock;
    this.steady = steady;
  }

  /** Whether the rules are known; until then only {@link #figures} can be read. */
  public boolean isReady() {
    return locked(heat::hasRules);
  }

  /**
   * How busy a room is; one of which nothing is known has rate 0.
   *
   * @throws QueryException if the rules aren't known yet
   */
  public RoomHeat room(String roomId) {
    return judged(() -> heat.room(roomId, steady.getAsLong()));
  }

  /**
   * The rooms that are hot.
   *
   * @throws QueryException if the rules aren't known yet
   */
  public List<RoomHeat> hot() {
    return judged(() -> heat.hot(steady.getAsLong()));
  }

  /**
   * The rooms furthest over their threshold, and then those nearest to it.
   *
   * @throws QueryException if the rules aren't known yet
   */
  public List<RoomHeat> busiest(int limit) {
    return judged(() -> heat.busiest(limit, steady.getAsLong()));
  }

  public Figures figures() {
    return locked(
        () ->
            new Figures(
                heat.rooms(),
                heat.hotRooms(),
                heat.late(),
                heat.ahead(),
                heat.shed(),
                heat.beyond(),
                heat.decisionMillis()));
  }

  private <T> T judged(Supplier<T> look) {
    return locked(
        () -> {
          if (!heat.hasRules()) {
            throw new QueryException(Kind.BEHIND, "the settings haven't been read yet");
          }
          return look.get();
        });
  }

  private <T> T locked(Supplier<T> look) {
    lock.lock();
    try {
      return look.get();
    } finally {
      lock.unlock();
    }
  }
}
