package dev.sluice.api.monitoring;

import dev.sluice.query.AdmissionQueries;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers the load of the last 1,000 seconds: 100 points, 10 s apart. A moment without a sure
 * answer leaves no point. Thread-safe.
 */
public final class Monitor implements AutoCloseable {
  static final int POINTS = 100;
  static final Duration APART = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(Monitor.class);

  private final AdmissionQueries queries;
  private final Clock clock;
  private final ArrayDeque<Point> points = new ArrayDeque<>();
  private final ScheduledExecutorService timer;

  public Monitor(AdmissionQueries queries, Clock clock) {
    this.queries = queries;
    this.clock = clock;
    this.timer =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "sluice-monitor");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** Begins to take points; returns at once. */
  public void start() {
    var unused = timer.scheduleAtFixedRate(this::take, 0, APART.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** The load now; fails as queries do. */
  CompletableFuture<Point> live() {
    return queries.system().thenApply(system -> Point.of(clock.instant(), system));
  }

  /** The points taken, oldest first. */
  List<Point> points() {
    synchronized (points) {
      return List.copyOf(points);
    }
  }

  /** Takes one point. */
  void take() {
    try {
      var unused =
          live()
              .whenComplete(
                  (point, failure) -> {
                    if (failure == null) {
                      add(point);
                    } else {
                      LOG.debug("The load could not be measured", failure);
                    }
                  });
    } catch (RuntimeException e) {
      // An exception would end the schedule.
      LOG.debug("The load could not be asked for", e);
    }
  }

  private void add(Point point) {
    synchronized (points) {
      if (points.size() == POINTS) {
        points.removeFirst();
      }
      points.addLast(point);
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
