package dev.sluice.bench.push;

import dev.sluice.identity.Session;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Second connections of the first three people, which don't behave: one stops reading, one reads a
 * byte a second, and one answers nothing any more, as if it had vanished.
 */
final class BadClients implements AutoCloseable {
  static final int ALL = 3;

  /** The first so many are told more than they take. */
  static final int FLOODED = 2;

  private static final int READS_BYTES = 1;
  private static final int RECEIVE_BUFFER = 4 * 1024;
  private static final long A_SECOND = 1_000;

  private final AtomicInteger connected = new AtomicInteger();
  private final StompLoop loop;
  private final Thread thread;

  BadClients(InetSocketAddress server, List<Session> sessions) throws IOException {
    loop = new StompLoop(new InetSocketAddress("127.0.0.4", 0));
    thread = new Thread(loop, "bad-clients");
    thread.setDaemon(true);
    thread.start();
    loop.tell(
        () -> {
          for (int i = 0; i < ALL; i++) {
            loop.open(server, sessions.get(i).token(), new Bad(i), RECEIVE_BUFFER);
          }
        });
    Waiters.await(
        () -> connected.get() == ALL, Duration.ofSeconds(20), "The bad clients aren't connected");
  }

  @Override
  public void close() throws InterruptedException {
    loop.close();
    thread.join();
  }

  private final class Bad implements StompLoop.Listener {
    private final int person;

    Bad(int person) {
      this.person = person;
    }

    @Override
    public void connected(StompClient client) {
      client.subscribe(1, "/topic/timeout/" + Pushes.person(person), Pushes.ROOM, true);
      client.flush();
    }

    @Override
    public void receipt(StompClient client) {
      client.stopReading();
      if (person == READS_BYTES) {
        loop.after(A_SECOND, () -> readOn(client));
      }
      connected.incrementAndGet();
    }

    private void readOn(StompClient client) {
      client.readOneByte();
      if (client.isOpen()) {
        loop.after(A_SECOND, () -> readOn(client));
      }
    }

    @Override
    public void message(StompClient client, byte[] frame, int start, int end, long at) {}

    /** That isn't known to one who doesn't read: the server knows. */
    @Override
    public void ended(StompClient client, int status) {}
  }
}
