package dev.sluice.log;

import dev.sluice.contract.Command;
import dev.sluice.contract.Receipt;
import dev.sluice.contract.Topics;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The way into {@code sluice.entries}: a plain idempotent producer. Thread-safe. */
@SuppressWarnings("DoNotCallSuggester")
public final class CommandLog implements AutoCloseable {
  /**
   * How long and how much the log may make a caller wait.
   *
   * @param delivery from the call to the answer at most
   * @param linger how long to wait for more records to send together
   * @param maxInFlight records appended and not yet answered
   */
  public record Limits(Duration delivery, Duration linger, int maxInFlight) {
    public static final Limits DEFAULT =
        new Limits(Duration.ofSeconds(2), Duration.ofMillis(1), 20_000);
  }

  /**
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   */
  public CommandLog(Map<String, Object> kafka, Topics topics, Limits limits) {}

  /**
   * Appends a command.
   *
   * @param roomId the key, null for a command of the whole partition
   * @return where it stands in the log; fails with {@link LogUnavailableException}
   */
  public CompletableFuture<Receipt> append(int partition, String roomId, Command command) {
    throw new UnsupportedOperationException("not yet: " + partition + roomId + command);
  }

  @Override
  public void close() {}
}
