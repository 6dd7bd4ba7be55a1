package dev.sluice.standalone;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** People pressing the button at once, a bounded number of them in flight. */
final class Herd {
  private static final int IN_FLIGHT = 64;

  private final RoomClient room;
  private final String name;
  private final ConcurrentLinkedQueue<RoomClient.Standing> acknowledged =
      new ConcurrentLinkedQueue<>();
  private final AtomicBoolean stopped = new AtomicBoolean();

  Herd(RoomClient room, String name) {
    this.room = room;
    this.name = name;
  }

  /** Enters {@code count} people, or fewer when stopped; returns once all are answered or lost. */
  void enter(int count) throws InterruptedException {
    Semaphore free = new Semaphore(IN_FLIGHT);
    for (int person = 0; person < count && !stopped.get(); person++) {
      if (!free.tryAcquire(1, TimeUnit.MINUTES)) {
        throw new AssertionError("No answer for a minute");
      }
      CompletableFuture<RoomClient.Standing> entering = room.enter(name + "-" + person);
      var unused =
          entering.whenComplete(
              (standing, lost) -> {
                if (standing != null) {
                  acknowledged.add(standing);
                }
                free.release();
              });
    }
    if (!free.tryAcquire(IN_FLIGHT, 1, TimeUnit.MINUTES)) {
      throw new AssertionError("No answer for a minute");
    }
  }

  void stop() {
    stopped.set(true);
  }

  int size() {
    return acknowledged.size();
  }

  /** Those whose entry was acknowledged. */
  List<RoomClient.Standing> people() {
    return List.copyOf(acknowledged);
  }
}
