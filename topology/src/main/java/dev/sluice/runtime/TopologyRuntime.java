package dev.sluice.runtime;

import dev.sluice.log.CommandLog;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.SystemView.PartitionView;
import dev.sluice.settings.SettingsFollower;
import java.time.Duration;
import java.util.List;

/**
 * The topology tier of a process: the topics, the settings gate, the admission application, its
 * ticker and its query port. Started and closed once.
 */
public final class TopologyRuntime implements AutoCloseable {
  /**
   * @param log for ticks and settings; not closed here
   * @param settings what is in force; started and closed by the caller
   */
  public TopologyRuntime(TopologyConfig config, CommandLog log, SettingsFollower settings) {}

  /**
   * Takes the state directory, creates the topics, and starts everything; returns before it is
   * ready.
   *
   * @throws StartException in words for an operator
   */
  public void start() {
    notYet();
  }

  /** Answers for the partitions owned here, and asks the owners for the others. */
  public AdmissionQueries queries() {
    return notYet();
  }

  /**
   * Whether this instance runs, every partition it owns has caught up and knows its settings, and
   * the settings have been read.
   */
  public boolean isReady() {
    return notYet();
  }

  /** Whether it can't recover by itself, so that the process should be restarted. */
  public boolean isDead() {
    return notYet();
  }

  /** The partitions owned here. */
  public List<PartitionView> partitions() {
    return notYet();
  }

  public TopologyMetrics metrics() {
    return notYet();
  }

  /** Stops in order, leaving the group so that others take over at once, within {@code atMost}. */
  public void close(Duration atMost) {
    notYet();
  }

  @Override
  public void close() {
    close(Duration.ofSeconds(15));
  }

  @SuppressWarnings("TypeParameterUnusedInFormals")
  private static <T> T notYet() {
    throw new UnsupportedOperationException("not yet");
  }
}
