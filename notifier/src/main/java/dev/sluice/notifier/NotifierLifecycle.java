package dev.sluice.notifier;

import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the notifier last, when the web server is up, and lets it leave first, while the server
 * still serves.
 */
final class NotifierLifecycle implements SmartLifecycle {
  private final Notifier notifier;
  private final ApplicationContext context;
  private volatile boolean running;

  NotifierLifecycle(Notifier notifier, ApplicationContext context) {
    this.notifier = notifier;
    this.context = context;
  }

  @Override
  public void start() {
    running = true;
    notifier.start();
  }

  @Override
  public void stop(Runnable callback) {
    AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
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
