package dev.sluice.settings;

import dev.sluice.contract.Topics;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Writes to {@code config} what an operator wants. Thread-safe. */
@SuppressWarnings("DoNotCallSuggester")
public final class ConfigWriter implements AutoCloseable {
  /**
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   */
  public ConfigWriter(Map<String, Object> kafka, Topics topics) {}

  /**
   * Asks for a value; it is in force once the gate has accepted it.
   *
   * @param who asks, for the history
   * @return its offset in {@code config}; fails with {@link BadSettingException}, or {@link
   *     dev.sluice.log.LogUnavailableException}
   */
  public CompletableFuture<Long> put(
      SettingKey<?> key, SettingScope scope, String json, String who) {
    throw new UnsupportedOperationException("not yet: " + key + scope + json + who);
  }

  /** Asks for a value to be forgotten; as {@link #put}. */
  public CompletableFuture<Long> unset(SettingKey<?> key, SettingScope scope, String who) {
    throw new UnsupportedOperationException("not yet: " + key + scope + who);
  }

  @Override
  public void close() {}
}
