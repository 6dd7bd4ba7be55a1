package dev.sluice.log;

import dev.sluice.contract.Outcome;
import dev.sluice.contract.Topics;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Everything that happens from now on: reads all partitions of {@code sluice.outcomes} and tells a
 * listener each outcome once, in order within a partition.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class OutcomeFeed implements AutoCloseable {
  /**
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param listener called by one thread; what it throws is logged and the feed goes on
   */
  public OutcomeFeed(Map<String, Object> kafka, Topics topics, Consumer<Outcome> listener) {}

  /**
   * Starts at the end of the log; returns at once.
   *
   * @return done once every outcome written from then on will be told; a state looked up after that
   *     joins the stream without a gap
   */
  public CompletableFuture<Void> start() {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public void close() {}
}
