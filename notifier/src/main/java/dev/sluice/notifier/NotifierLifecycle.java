package dev.sluice.notifier;

import org.springframework.context.SmartLifecycle;

/**
 * Starts the notifier last, when the web server is up, and lets it leave first, while the server
 * still serves; Boot has turned readiness off just before.
 */
final class NotifierLifecycle implements SmartLifecycle {
  private final Notifier notifier;
  private volatile boolean running;

  NotifierLifecycle(Notifier notifier) {
    this.notifier = notifier;
  }

  @Override
  public void start() {
    running = true;
    notifier.start();
  }

  @Override
  public void stop(Runnable callback) {
    var unused =
        notifier
            .leave()
            .whenComplete(
                (gone, failure) -> {
                  running = false;
                  callback.run();
                });
  }

  /** Spring stops it through {@link #stop(Runnable)} only. */
  @Override
  public void stop() {
    stop(() -> {});
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
