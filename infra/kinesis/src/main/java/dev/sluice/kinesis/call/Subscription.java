package dev.sluice.kinesis.call;

import dev.sluice.kinesis.wire.Answer;
import java.util.concurrent.CompletableFuture;

/**
 * The events of one subscriber, taken one by one: the next is asked for only when the one before is
 * written, so a slow client holds back its own reading and nothing else.
 */
public interface Subscription {
  /**
   * The next event, as soon as there is one, and at least every five seconds; null at the end. How
   * it completes exceptionally is told to the client as the last event.
   */
  CompletableFuture<Answer> next();

  /** The client has gone, or all is written. Called once, maybe while {@link #next} is awaited. */
  void close();
}
