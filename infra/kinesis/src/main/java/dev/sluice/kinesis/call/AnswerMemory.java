package dev.sluice.kinesis.call;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for records that are read and on their way to clients, who may be slow. Who reads takes
 * some first, and reads no more than it took. Thread-safe, without a lock.
 */
public final class AnswerMemory {
  private final long most;
  private final AtomicLong taken = new AtomicLong();

  /**
   * @param most bytes, all together
   */
  public AnswerMemory(long most) {
    this.most = most;
  }

  /** Takes {@code bytes}; false if there isn't as much. */
  boolean tryTake(long bytes) {
    if (taken.addAndGet(bytes) <= most) {
      return true;
    }
    taken.addAndGet(-bytes);
    return false;
  }

  /** Takes what there is, but {@code least} even if there is less, and {@code most} at most. */
  long take(long least, long most) {
    while (true) {
      long before = taken.get();
      long granted = Math.max(least, Math.min(most, this.most - before));
      if (taken.compareAndSet(before, before + granted)) {
        return granted;
      }
    }
  }

  /** Counts memory that is in use already. */
  void occupy(long bytes) {
    taken.addAndGet(bytes);
  }

  /** Gives back. */
  public void release(long bytes) {
    taken.addAndGet(-bytes);
  }

  long taken() {
    return taken.get();
  }
}
