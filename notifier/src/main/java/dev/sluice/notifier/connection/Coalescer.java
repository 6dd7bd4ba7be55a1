package dev.sluice.notifier.connection;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the last values of connections a moment after they were queued: what comes together leaves
 * together, and whoever tells ten thousand people something only queues it. A connection waits here
 * once at most. Thread-safe.
 */
public final class Coalescer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Coalescer.class);

  private final long delay;
  private final Lane[] lanes;
  private volatile boolean closed;

  /** Times by {@link System#nanoTime}, for which alone a thread can wait. */
  private record Due(StompConnection connection, long at) {}

  /**
   * @param delay from queueing to sending
   * @param threads that send; a connection is always sent to by the same
   */
  public Coalescer(Duration delay, int threads, ThreadFactory factory) {
    this.delay = delay.toNanos();
    this.lanes = new Lane[threads];
    Arrays.setAll(lanes, i -> new Lane(factory));
  }

  /** Sends what {@code connection} has queued, soon. */
  public void flushSoon(StompConnection connection) {
    int lane = Math.floorMod(System.identityHashCode(connection), lanes.length);
    lanes[lane].due.add(new Due(connection, System.nanoTime() + delay));
  }

  /** Sends nothing more. */
  @Override
  public void close() {
    closed = true;
    for (Lane lane : lanes) {
      lane.thread.interrupt();
    }
  }

  private final class Lane {
    /** In the order of their times, since all wait as long. */
    private final BlockingQueue<Due> due = new LinkedBlockingQueue<>();

    private final Thread thread;

    Lane(ThreadFactory factory) {
      this.thread = factory.newThread(this::run);
      thread.start();
    }

    private void run() {
      while (!closed) {
        try {
          Due next = due.take();
          long early = next.at - System.nanoTime();
          if (early > 0) {
            LockSupport.parkNanos(early);
          }
          next.connection.flushNow();
        } catch (InterruptedException e) {
          LOG.debug("Closing");
        } catch (RuntimeException e) {
          LOG.error("A connection could not be sent to", e);
        }
      }
    }
  }
}
