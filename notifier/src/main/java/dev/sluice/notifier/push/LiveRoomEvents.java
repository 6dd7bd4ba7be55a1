package dev.sluice.notifier.push;

import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** The stream of what is said in rooms, of all partitions. */
@FunctionalInterface
public interface LiveRoomEvents {
  /**
   * Tells {@code listener} each message that can be fetched, in order within a room, one at a time.
   *
   * @param wanted whether the listener cares about a room, asked before each message
   * @return done once every message written from then on will be told
   */
  CompletableFuture<Void> follow(Predicate<String> wanted, Listener listener);

  /** Who hears it. */
  interface Listener {
    /**
     * A record of the stream is at hand; all before it in its partition have been told, or passed
     * over since nobody wanted them. Called before anything is asked or told about it.
     */
    void reads(int partition, long offset);

    /**
     * Something was said in a room.
     *
     * @param cursor of the message, by which it can be fetched
     */
    void said(String roomId, long cursor);
  }
}
