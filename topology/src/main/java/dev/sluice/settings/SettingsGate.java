package dev.sluice.settings;

import dev.sluice.contract.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * The Kafka Streams application that judges what is written to {@code config}: what it accepts goes
 * to {@code settings}, every attempt to {@code config-history}.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class SettingsGate implements AutoCloseable {
  /** Its {@code application.id} unless a prefix is asked for. */
  public static final String APPLICATION = "sluice-settings";

  /**
   * @param kafka client settings: {@code bootstrap.servers}, and security where needed
   * @param stateDirectory for its store
   */
  public SettingsGate(
      Map<String, Object> kafka, Topics topics, String applicationId, Path stateDirectory) {}

  /** Starts it; the topics must exist. */
  public void start() {
    throw new UnsupportedOperationException("not yet");
  }

  /** Whether it is running and judges. */
  public boolean isRunning() {
    throw new UnsupportedOperationException("not yet");
  }

  /** Stops it and leaves the group, within {@code atMost}. */
  public void close(Duration atMost) {
    throw new UnsupportedOperationException("not yet: " + atMost);
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(10));
  }
}
