package dev.sluice.bench.push;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Many STOMP clients on one thread. A client costs a socket and a few hundred bytes, and a message
 * a read and a scan, so that on one machine the clients leave the server most of the processors.
 *
 * <p>{@link #run} is the thread's work; everything a client hears, and timers, happen on it. {@link
 * #tell} alone may be called by any thread.
 */
public final class StompLoop implements AutoCloseable, Runnable {
  /**
   * Between two looks at the sockets: whoever sends finds nobody to wake, which costs a sender more
   * than a write, and would not on a machine of its own.
   */
  private static final long NAP_NANOS = 500_000;

  private static final int READ_BUFFER = 64 * 1024;

  private final InetSocketAddress source;
  private final Selector selector;
  private final ByteBuffer reading = ByteBuffer.allocateDirect(READ_BUFFER);
  private final Queue<Runnable> told = new ConcurrentLinkedQueue<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private volatile boolean closed;
  private long timerCount;

  /** What one client hears; always on the loop's thread. */
  public interface Listener {
    /** The server has said CONNECTED. */
    void connected(StompClient client);

    /** A RECEIPT came. */
    void receipt(StompClient client);

    /**
     * A MESSAGE came.
     *
     * @param frame holds it from {@code start} to {@code end}, only during the call
     * @param at when it was read, by {@link System#nanoTime}
     */
    void message(StompClient client, byte[] frame, int start, int end, long at);

    /**
     * The socket has ended, or never began.
     *
     * @param status the WebSocket close code; the HTTP status of a refused handshake; 0 for neither
     */
    void ended(StompClient client, int status);
  }

  /**
   * @param source address of this machine to connect from
   */
  public StompLoop(InetSocketAddress source) throws IOException {
    this.source = source;
    this.selector = Selector.open();
  }

  /**
   * Begins to connect to {@code server}.
   *
   * @param session token, or null for none
   */
  public StompClient open(InetSocketAddress server, String session, Listener listener) {
    return open(server, session, listener, 0);
  }

  /**
   * @param receiveBuffer of the socket in bytes, 0 for what the system gives: with a small one it
   *     is soon felt when a client doesn't read
   */
  public StompClient open(
      InetSocketAddress server, String session, Listener listener, int receiveBuffer) {
    StompClient client = new StompClient(server, session, listener);
    try {
      SocketChannel channel = SocketChannel.open();
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      if (receiveBuffer > 0) {
        channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer);
      }
      channel.bind(source);
      channel.connect(server);
      client.attach(channel, channel.register(selector, SelectionKey.OP_CONNECT, client));
    } catch (IOException e) {
      after(0, () -> client.end(0));
    }
    return client;
  }

  /** Calls {@code action} on the loop's thread, soon. */
  public void tell(Runnable action) {
    told.add(action);
  }

  /** Calls {@code action} in {@code millis}. */
  public void after(long millis, Runnable action) {
    timers.add(
        new Timer(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis), timerCount++, action));
  }

  @Override
  public void run() {
    try {
      while (!closed) {
        LockSupport.parkNanos(NAP_NANOS);
        // With a consumer: a set of keys costs its largest size ever, each time it is cleared.
        selector.selectNow(this::ready);
        long now = System.nanoTime();
        for (Runnable action = told.poll(); action != null; action = told.poll()) {
          action.run();
        }
        while (!timers.isEmpty() && timers.peek().due - now <= 0) {
          timers.poll().action.run();
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("the clients' selector failed", e);
    } finally {
      closeAll();
    }
  }

  private void ready(SelectionKey key) {
    ((StompClient) key.attachment()).ready(reading);
  }

  /** Stops {@link #run} and drops every client. */
  @Override
  public void close() {
    closed = true;
  }

  private void closeAll() {
    List<SelectionKey> keys = new ArrayList<>(selector.keys());
    for (SelectionKey key : keys) {
      ((StompClient) key.attachment()).drop();
    }
    try {
      selector.close();
    } catch (IOException e) {
      throw new IllegalStateException("the clients' selector failed", e);
    }
  }

  private record Timer(long due, long number, Runnable action) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      long difference = due - other.due;
      return difference != 0 ? Long.signum(difference) : Long.compare(number, other.number);
    }
  }

  static byte[] ascii(String text) {
    return text.getBytes(US_ASCII);
  }
}
