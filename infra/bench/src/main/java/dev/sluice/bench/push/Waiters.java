package dev.sluice.bench.push;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Everyone who waits in one room of a whole Sluice, on two threads. Thread-safe. */
final class Waiters implements AutoCloseable {
  private static final int LOOPS = 2;
  private static final int OPENING_EACH = 20;
  private static final long OPENING_EVERY_MILLIS = 20;
  private static final long LOOK_EVERY_NANOS = 5_000_000;
  private static final int SECONDS_KEPT = 120;

  private final List<StompLoop> loops = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<Waiter> waiters = new ArrayList<>();
  private final AtomicInteger twice = new AtomicInteger();
  private final AtomicInteger rose = new AtomicInteger();
  private final AtomicInteger drops = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicLong firstRank = new AtomicLong();
  private final AtomicLong lastRank = new AtomicLong();
  private final AtomicLong lastKnew = new AtomicLong();
  private volatile AtomicIntegerArray arrivals = new AtomicIntegerArray(SECONDS_KEPT);
  private volatile long since = System.nanoTime();
  private volatile InetSocketAddress server;

  /** Where they connect to from now on, as a load balancer would send them. */
  Waiters(InetSocketAddress server) throws IOException {
    this.server = server;
    for (int i = 0; i < LOOPS; i++) {
      StompLoop loop = new StompLoop(new InetSocketAddress("127.0.0." + (2 + i), 0));
      loops.add(loop);
      Thread thread = new Thread(loop, "waiters-" + i);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
  }

  /** Before {@link #come}. */
  void add(String name, String session, long ticket) {
    waiters.add(new Waiter(loops.get(waiters.size() % LOOPS), this, name, session, ticket));
  }

  /** The same people as the first {@code count} of {@code others}. */
  void add(Waiters others, int count) {
    for (Waiter other : others.waiters.subList(0, Math.min(count, others.waiters.size()))) {
      waiters.add(other.among(loops.get(waiters.size() % LOOPS), this));
    }
  }

  /** Everyone connects, a thousand a second and loop, and knows their rank in the end. */
  void come(Duration atMost) {
    for (int i = 0; i < LOOPS; i++) {
      StompLoop loop = loops.get(i);
      int part = i;
      loop.tell(() -> open(loop, part));
    }
    await(
        () -> {
          Progress.show("know their rank", live(), waiters.size());
          return live() == waiters.size();
        },
        atMost,
        "Not everyone knows their rank");
  }

  private void open(StompLoop loop, int from) {
    int next = from;
    for (int i = 0; i < OPENING_EACH && next < waiters.size(); i++) {
      waiters.get(next).connect();
      next += LOOPS;
    }
    int rest = next;
    if (rest < waiters.size()) {
      loop.after(OPENING_EVERY_MILLIS, () -> open(loop, rest));
    }
  }

  /** How many are connected and know how things stand. */
  int live() {
    int count = 0;
    for (Waiter waiter : waiters) {
      count += waiter.isLive() ? 1 : 0;
    }
    return count;
  }

  List<Waiter> all() {
    return waiters;
  }

  InetSocketAddress server() {
    return server;
  }

  /** Whoever connects from now on is sent there. */
  void send(InetSocketAddress to) {
    server = to;
  }

  /** Counts arrivals and the rest anew. */
  void mark() {
    arrivals = new AtomicIntegerArray(SECONDS_KEPT);
    since = System.nanoTime();
    drops.set(0);
    refused.set(0);
    firstRank.set(0);
    lastRank.set(0);
  }

  void arrives() {
    int second = (int) ((System.nanoTime() - since) / 1_000_000_000);
    arrivals.incrementAndGet(Math.min(SECONDS_KEPT - 1, second));
  }

  void dropped(int status) {
    drops.incrementAndGet();
    if (status == 429 || status == 503) {
      refused.incrementAndGet();
    }
  }

  void toldTwice() {
    twice.incrementAndGet();
  }

  void rankRose() {
    rose.incrementAndGet();
  }

  void heardRank(long at) {
    firstRank.compareAndSet(0, at);
    lastRank.accumulateAndGet(at, Math::max);
  }

  void knows() {
    lastKnew.set(System.nanoTime());
  }

  /** Most arrivals in one second since the mark. */
  int busiestSecond() {
    int most = 0;
    for (int i = 0; i < SECONDS_KEPT; i++) {
      most = Math.max(most, arrivals.get(i));
    }
    return most;
  }

  /** Connections that ended since the mark, refused ones included. */
  int drops() {
    return drops.get();
  }

  /** Handshakes refused since the mark because there were too many. */
  int refused() {
    return refused.get();
  }

  /** Admissions that somebody heard again. */
  int twice() {
    return twice.get();
  }

  /** Ranks above one told before. */
  int rose() {
    return rose.get();
  }

  /** Seconds from the mark until the last of them knew how things stand. */
  double secondsUntilAllKnew() {
    return (lastKnew.get() - since) / 1e9;
  }

  /** Between the first and the last rank heard since the mark. */
  Duration ranksTook() {
    return Duration.ofNanos(lastRank.get() - firstRank.get());
  }

  static void await(BooleanSupplier until, Duration atMost, String otherwise) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!until.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(otherwise + " after " + atMost.toSeconds() + " s.");
      }
      LockSupport.parkNanos(LOOK_EVERY_NANOS);
    }
  }

  @Override
  public void close() {
    loops.forEach(StompLoop::close);
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
