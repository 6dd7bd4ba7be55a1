package dev.sluice.bench.push;

import dev.sluice.identity.Session;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/**
 * Everyone who waits, each on a connection with the subscriptions of the waiting page, on two
 * threads. What they hear is measured here.
 */
final class People implements AutoCloseable {
  private static final byte[] REASON = StompLoop.ascii("\"reason\":\"");
  private static final byte[] TOTAL = StompLoop.ascii("\"totalWaiting\":");
  private static final int LOOPS = 2;
  private static final int OPENING_AT_ONCE = 100;
  private static final int FEED = 9;
  private static final long LOOK_EVERY_NANOS = 200_000;

  private final InetSocketAddress server;
  private final List<Session> sessions;
  private final List<Part> parts = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger ended = new AtomicInteger();
  private final AtomicInteger receipts = new AtomicInteger();
  private final AtomicInteger heardByAll = new AtomicInteger();
  private final AtomicLong lastHeard = new AtomicLong();

  People(InetSocketAddress server, List<Session> sessions) throws IOException {
    this.server = server;
    this.sessions = sessions;
    for (int i = 0; i < LOOPS; i++) {
      // Each address of this machine has its own 28,000 ports.
      Part part = new Part(new StompLoop(new InetSocketAddress("127.0.0." + (2 + i), 0)), i);
      parts.add(part);
      Thread thread = new Thread(part.loop, "people-" + i);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
  }

  /** Opens all connections and waits until each is subscribed. */
  void come(Duration atMost) {
    parts.forEach(part -> part.loop.tell(part::openNext));
    await(() -> receipts.get() == sessions.size(), atMost, "Not everyone is subscribed");
  }

  /** Those from {@code from} to {@code to} subscribe to what is said in the room. */
  void followRoom(int from, int to, Duration atMost) {
    receipts.set(0);
    parts.forEach(part -> part.loop.tell(() -> part.followRoom(from, to)));
    await(() -> receipts.get() == to - from, atMost, "Not everyone follows the room");
  }

  /** Forgets what was measured of personal messages. */
  void forget() {
    for (Part part : parts) {
      synchronized (part) {
        part.delays.reset();
      }
    }
  }

  /** Delays of personal messages since the last {@link #forget}, in microseconds. */
  Histogram delays() {
    Histogram all = new Histogram(3);
    for (Part part : parts) {
      synchronized (part) {
        all.add(part.delays);
      }
    }
    return all;
  }

  /** Before something is told to all. */
  void expectAll() {
    heardByAll.set(0);
  }

  /** When the last of those still connected heard it, by {@link System#nanoTime}. */
  long awaitAll(Duration atMost) {
    if (ended.get() == sessions.size()) {
      throw new IllegalStateException("All connections have ended.");
    }
    await(() -> heardByAll.get() >= sessions.size() - ended.get(), atMost, "Not everyone heard it");
    return lastHeard.get();
  }

  /** Connections that the server or the network ended. */
  int ended() {
    return ended.get();
  }

  private static void await(BooleanSupplier until, Duration atMost, String otherwise) {
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
    parts.forEach(part -> part.loop.close());
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** The people of one loop: every second one, or third. */
  private final class Part {
    private final StompLoop loop;
    private final Histogram delays = new Histogram(3);
    private final List<StompClient> clients = new ArrayList<>();
    private final int first;
    private int next;
    private int opening;

    Part(StompLoop loop, int first) {
      this.loop = loop;
      this.first = first;
      this.next = first;
    }

    void openNext() {
      while (opening < OPENING_AT_ONCE && next < sessions.size()) {
        opening++;
        int person = next;
        next += LOOPS;
        clients.add(loop.open(server, sessions.get(person).token(), new Person(person)));
      }
    }

    void followRoom(int from, int to) {
      for (int i = 0; i < clients.size(); i++) {
        int person = first + i * LOOPS;
        if (person >= from && person < to) {
          clients.get(i).subscribe(FEED, "/topic/room/" + Pushes.ROOM, null, true);
          clients.get(i).flush();
        }
      }
    }

    /** One of them. */
    private final class Person implements StompLoop.Listener {
      private final int number;

      Person(int number) {
        this.number = number;
      }

      /** As the waiting page does. */
      @Override
      public void connected(StompClient client) {
        String name = Pushes.person(number);
        client.subscribe(0, "/topic/admission/" + name, Pushes.ROOM, false);
        client.subscribe(1, "/topic/timeout/" + name, Pushes.ROOM, false);
        client.subscribe(2, "/topic/rank/" + name, Pushes.ROOM, false);
        client.subscribe(3, "/topic/stats/" + Pushes.ROOM, null, false);
        client.subscribe(4, "/topic/server", null, true);
        client.flush();
      }

      @Override
      public void receipt(StompClient client) {
        receipts.incrementAndGet();
        if (opening > 0) {
          opening--;
          openNext();
        }
      }

      @Override
      public void message(StompClient client, byte[] frame, int start, int end, long at) {
        switch (subscription(frame, start, end)) {
          case '1' -> {
            long sent = Stamps.find(frame, start, end, REASON);
            synchronized (Part.this) {
              delays.recordValue(Math.max(0, (at - sent) / 1_000));
            }
          }
          case '3' -> {
            if (Stamps.find(frame, start, end, TOTAL) > sessions.size()) {
              lastHeard.accumulateAndGet(at, Math::max);
              heardByAll.incrementAndGet();
            }
          }
          default -> {}
        }
      }

      @Override
      public void ended(StompClient client, int status) {
        ended.incrementAndGet();
      }
    }
  }

  private static final byte[] SUBSCRIPTION = StompLoop.ascii("\nsubscription:");

  /** The first character of its identifier. */
  static byte subscription(byte[] frame, int start, int end) {
    for (int i = start; i < end - SUBSCRIPTION.length; i++) {
      int matching = 0;
      while (matching < SUBSCRIPTION.length && frame[i + matching] == SUBSCRIPTION[matching]) {
        matching++;
      }
      if (matching == SUBSCRIPTION.length) {
        return frame[i + matching];
      }
    }
    return 0;
  }
}
