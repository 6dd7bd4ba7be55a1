package dev.sluice.log;

import dev.sluice.contract.Topics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The records of {@code sluice.dlq}: listed, and sent again on request. Thread-safe. */
@SuppressWarnings("DoNotCallSuggester")
public final class DeadLetters implements AutoCloseable {
  /**
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   */
  public DeadLetters(Map<String, Object> kafka, Topics topics) {}

  /**
   * The newest first.
   *
   * @param limit 1 to 1,000
   * @return fails with {@link LogUnavailableException}
   */
  public CompletableFuture<List<DeadLetter>> list(int limit) {
    throw new UnsupportedOperationException("not yet: " + limit);
  }

  /**
   * Sends a record again to the topic it came from; one of {@code entries} to the partition its key
   * belongs to.
   *
   * @return where it went; fails with {@link java.util.NoSuchElementException} when there is none
   *     of that id, {@link IllegalStateException} when it can't be sent again, saying why, or
   *     {@link LogUnavailableException}
   */
  public CompletableFuture<DeadLetter.Redriven> redrive(String id) {
    throw new UnsupportedOperationException("not yet: " + id);
  }

  @Override
  public void close() {}
}
