package dev.sluice.notifier.push;

import dev.sluice.notifier.routing.PersonKey;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Threads for what happens to people: what happens to one person stays in its order, and others
 * don't wait for it. Whoever hands over a task waits while the lane of that person is full.
 * Thread-safe. Once closed, tasks are dropped.
 */
public final class PersonLanes implements BiConsumer<PersonKey, Runnable>, AutoCloseable {
  private static final int TASKS_WAITING = 4096;

  private final ThreadPoolExecutor[] lanes;

  public PersonLanes(int count, ThreadFactory threads) {
    this.lanes = new ThreadPoolExecutor[count];
    Arrays.setAll(lanes, i -> lane(threads));
  }

  private static ThreadPoolExecutor lane(ThreadFactory threads) {
    return new ThreadPoolExecutor(
        1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(TASKS_WAITING), threads, waitForRoom());
  }

  private static RejectedExecutionHandler waitForRoom() {
    return (task, lane) -> {
      try {
        if (!lane.isShutdown()) {
          lane.getQueue().put(task);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new RejectedExecutionException(e);
      }
    };
  }

  @Override
  public void accept(PersonKey person, Runnable task) {
    lanes[Math.floorMod(person.hashCode(), lanes.length)].execute(task);
  }

  @Override
  public void close() {
    for (ThreadPoolExecutor lane : lanes) {
      lane.shutdownNow();
    }
  }
}
