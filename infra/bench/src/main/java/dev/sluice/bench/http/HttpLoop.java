package dev.sluice.bench.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A load generator's heart: one thread that fires timers and drives keep-alive HTTP/1.1 connections
 * to one server. It takes a small part of the processor time of a general client, which matters
 * when client and server share a machine.
 *
 * <p>Everything, callbacks included, happens on the thread that calls {@link #run}; nothing here
 * may be called from another.
 */
public final class HttpLoop implements AutoCloseable {
  private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_NAP = 50 * MILLISECOND;
  private static final long SHORTEST_NAP = TimeUnit.MICROSECONDS.toNanos(50);

  private final InetSocketAddress server;
  private final int maxConnections;
  private final Selector selector;
  private final ArrayDeque<Exchange> queue = new ArrayDeque<>();
  private final ArrayDeque<Connection> idle = new ArrayDeque<>();
  private final PriorityQueue<Timer> timers = new PriorityQueue<>();
  private int connections;
  private int inFlight;
  private long timerCount;

  /** What becomes of a request; exactly one of the two is called, once. */
  public interface Callback {
    /** An answer came, of any status; {@code body} is the caller's to keep. */
    void answered(int status, byte[] body);

    /** No answer: the connection was refused, or broke. */
    void failed(IOException cause);
  }

  /**
   * @param maxConnections open at most; further requests queue
   */
  public HttpLoop(InetSocketAddress server, int maxConnections) throws IOException {
    this.server = server;
    this.maxConnections = maxConnections;
    this.selector = Selector.open();
  }

  /** Sends a complete request (see {@link Request}), now or when a connection is free. */
  public void send(byte[] request, Callback callback) {
    Exchange exchange = new Exchange(request, callback);
    Connection connection = idle.pollLast();
    if (connection != null) {
      connection.start(exchange);
    } else if (connections < maxConnections) {
      queue.addLast(exchange);
      open();
    } else {
      queue.addLast(exchange);
    }
  }

  /** Calls {@code action} once {@link System#nanoTime} has reached {@code due}. */
  public void at(long due, Runnable action) {
    timers.add(new Timer(due, timerCount++, action));
  }

  public void after(Duration delay, Runnable action) {
    at(System.nanoTime() + delay.toNanos(), action);
  }

  /** Requests without an answer yet, queued ones included. */
  public int unanswered() {
    return inFlight + queue.size();
  }

  /** Runs until {@code done}, which is looked at between events and at least every 50 ms. */
  public void run(BooleanSupplier done) throws IOException {
    while (!done.getAsBoolean()) {
      long now = System.nanoTime();
      fireTimers(now);
      Timer next = timers.peek();
      long nap = next == null ? LONGEST_NAP : Math.min(LONGEST_NAP, next.due - System.nanoTime());
      int ready;
      if (nap >= MILLISECOND) {
        ready = selector.select(nap / MILLISECOND);
      } else {
        ready = selector.selectNow();
        if (ready == 0 && nap > 0) {
          LockSupport.parkNanos(Math.min(nap, SHORTEST_NAP));
        }
      }
      if (ready > 0) {
        for (SelectionKey key : selector.selectedKeys()) {
          ((Connection) key.attachment()).ready(key);
        }
        selector.selectedKeys().clear();
      }
    }
  }

  /** Closes every connection; requests without an answer get none. */
  @Override
  public void close() throws IOException {
    for (SelectionKey key : new ArrayList<>(selector.keys())) {
      key.channel().close();
    }
    selector.close();
  }

  private void fireTimers(long now) {
    Timer timer = timers.peek();
    while (timer != null && timer.due - now <= 0) {
      timers.poll();
      timer.action.run();
      timer = timers.peek();
    }
  }

  private void open() {
    try {
      SocketChannel channel = SocketChannel.open();
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      Connection connection = new Connection(channel);
      connections++;
      if (channel.connect(server)) {
        connection.key = channel.register(selector, SelectionKey.OP_READ, connection);
        connection.free();
      } else {
        connection.key = channel.register(selector, SelectionKey.OP_CONNECT, connection);
      }
    } catch (IOException e) {
      failAllQueued(e);
    }
  }

  private void failAllQueued(IOException cause) {
    List<Exchange> failing = new ArrayList<>(queue);
    queue.clear();
    for (Exchange exchange : failing) {
      exchange.callback.failed(cause);
    }
  }

  private record Timer(long due, long number, Runnable action) implements Comparable<Timer> {
    @Override
    public int compareTo(Timer other) {
      long difference = due - other.due;
      return difference != 0 ? Long.signum(difference) : Long.compare(number, other.number);
    }
  }

  private static final class Exchange {
    final byte[] request;
    final Callback callback;
    boolean sentAgain;

    Exchange(byte[] request, Callback callback) {
      this.request = request;
      this.callback = callback;
    }
  }

  private final class Connection {
    private final SocketChannel channel;
    private final ResponseReader reader = new ResponseReader();
    private SelectionKey key;
    private ByteBuffer out;
    private Exchange current;
    private boolean served;

    Connection(SocketChannel channel) {
      this.channel = channel;
    }

    void start(Exchange exchange) {
      current = exchange;
      inFlight++;
      out = ByteBuffer.wrap(exchange.request);
      write();
    }

    void free() {
      Exchange next = queue.pollFirst();
      if (next == null) {
        idle.addLast(this);
      } else {
        start(next);
      }
    }

    void ready(SelectionKey selected) {
      if (!selected.isValid()) {
        return;
      }
      if (selected.isConnectable()) {
        try {
          channel.finishConnect();
          key.interestOps(SelectionKey.OP_READ);
          free();
        } catch (IOException e) {
          drop();
          failAllQueued(e);
        }
        return;
      }
      if (selected.isWritable()) {
        write();
      }
      if (selected.isValid() && selected.isReadable()) {
        read();
      }
    }

    private void write() {
      try {
        channel.write(out);
        int wanted =
            out.hasRemaining()
                ? SelectionKey.OP_READ | SelectionKey.OP_WRITE
                : SelectionKey.OP_READ;
        if (key.interestOps() != wanted) {
          key.interestOps(wanted);
        }
      } catch (IOException e) {
        broken(e);
      }
    }

    private void read() {
      try {
        if (!reader.readFrom(channel)) {
          broken(new IOException("the server closed the connection"));
          return;
        }
        if (current == null || !reader.isComplete()) {
          return;
        }
      } catch (IOException e) {
        broken(e);
        return;
      }
      Exchange answered = current;
      current = null;
      inFlight--;
      served = true;
      int status = reader.status();
      byte[] body = reader.body();
      if (reader.closes()) {
        drop();
        if (!queue.isEmpty()) {
          open();
        }
        answered.callback.answered(status, body);
      } else {
        reader.next();
        // Before the callback, so that what it sends goes out on this warm connection.
        free();
        answered.callback.answered(status, body);
      }
    }

    /** A kept connection may close just as it is used again; such a request is sent once more. */
    private void broken(IOException cause) {
      Exchange failing = current;
      current = null;
      drop();
      if (failing == null) {
        return;
      }
      inFlight--;
      if (served && reader.isEmpty() && !failing.sentAgain) {
        failing.sentAgain = true;
        queue.addFirst(failing);
        open();
      } else {
        failing.callback.failed(cause);
        if (!queue.isEmpty() && connections < maxConnections) {
          open();
        }
      }
    }

    private void drop() {
      connections--;
      idle.remove(this);
      key.cancel();
      try {
        channel.close();
      } catch (IOException e) {
        throw new IllegalStateException("closing a socket failed", e);
      }
    }
  }
}
