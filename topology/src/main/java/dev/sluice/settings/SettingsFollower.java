package dev.sluice.settings;

import dev.sluice.contract.Topics;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The settings in force, as one process knows them: follows {@code settings} and {@code
 * config-history}. Thread-safe.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class SettingsFollower implements AutoCloseable {
  /**
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param gateApplicationId of the gate, whose progress tells what has been judged
   */
  public SettingsFollower(Map<String, Object> kafka, Topics topics, String gateApplicationId) {}

  /** Starts to read; returns at once. */
  public void start() {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Completes once everything that stood in {@code config} at the start has been judged and is in
   * {@link #view}; never fails, and waits as long as Kafka or the gate is away.
   */
  public CompletableFuture<Void> readToEnd() {
    throw new UnsupportedOperationException("not yet");
  }

  public SettingsView view() {
    throw new UnsupportedOperationException("not yet");
  }

  /** The last attempts to change a setting, newest first; 1,000 are remembered. */
  public List<SettingAttempt> history(int limit) {
    throw new UnsupportedOperationException("not yet: " + limit);
  }

  /** Tells {@code listener} each change, on the follower's thread; its view has it already. */
  public void onChange(Consumer<SettingsView.InForce<?>> listener) {
    throw new UnsupportedOperationException("not yet: " + listener);
  }

  @Override
  public void close() {}
}
