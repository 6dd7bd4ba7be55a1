package dev.sluice.bench.push;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/**
 * A client of a {@link StompLoop}. Answers pings, sends no heartbeats of its own and wants none.
 * Not thread-safe: of the loop's thread.
 */
public final class StompClient {
  private static final int TEXT = 1;
  private static final int BINARY = 2;
  private static final int CLOSE = 8;
  private static final int PING = 9;
  private static final int PONG = 10;
  private static final byte[] NOTHING = {};

  private final InetSocketAddress server;
  private final String session;
  private final StompLoop.Listener listener;
  private SocketChannel channel;
  private SelectionKey key;
  private byte[] unread = NOTHING;
  private ByteBuffer unwritten;
  private boolean upgraded;
  private boolean ended;
  private boolean paused;
  private int status;

  StompClient(InetSocketAddress server, String session, StompLoop.Listener listener) {
    this.server = server;
    this.session = session;
    this.listener = listener;
  }

  void attach(SocketChannel socket, SelectionKey registered) {
    channel = socket;
    key = registered;
  }

  /**
   * Subscribes with the next {@link #flush}; the server's RECEIPT says when it is done.
   *
   * @param id of the subscription
   * @param room to hear of alone, or null
   */
  public void subscribe(int id, String destination, String room, boolean receipt) {
    queue(
        "SUBSCRIBE\nid:"
            + id
            + "\ndestination:"
            + destination
            + (room == null ? "" : "\nroom:" + room)
            + (receipt ? "\nreceipt:" + id : "")
            + "\n\n\0");
  }

  /** Reads nothing more from now on, and says nothing. */
  public void stopReading() {
    paused = true;
    key.interestOps(0);
  }

  /** Reads one byte that has come, if any. */
  public void readOneByte() {
    try {
      if (channel.isOpen() && channel.read(ByteBuffer.allocate(1)) < 0) {
        end(status);
      }
    } catch (IOException e) {
      end(status);
    }
  }

  /** Ends the socket without a word. */
  public void drop() {
    ended = true;
    closeChannel();
  }

  /** Whether the socket is open. */
  public boolean isOpen() {
    return !ended && channel != null && channel.isOpen();
  }

  void ready(ByteBuffer reading) {
    if (ended || !key.isValid()) {
      return;
    }
    try {
      if (key.isConnectable() && channel.finishConnect()) {
        key.interestOps(SelectionKey.OP_READ);
        write(ByteBuffer.wrap(StompLoop.ascii(handshake())));
      }
      if (key.isValid() && key.isWritable()) {
        write(null);
      }
      if (key.isValid() && key.isReadable() && !paused) {
        read(reading);
      }
    } catch (IOException e) {
      end(status);
    }
  }

  private String handshake() {
    return "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:"
        + server.getPort()
        + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
        + "\r\nSec-WebSocket-Key: c2x1aWNlIGJlbmNobWFyaw==\r\nSec-WebSocket-Protocol: v12.stomp"
        + "\r\n\r\n";
  }

  private void read(ByteBuffer reading) throws IOException {
    reading.clear();
    int count = channel.read(reading);
    long at = System.nanoTime();
    if (count < 0) {
      end(status);
      return;
    }
    byte[] bytes = new byte[unread.length + count];
    System.arraycopy(unread, 0, bytes, 0, unread.length);
    reading.flip().get(bytes, unread.length, count);
    int done = 0;
    if (!upgraded) {
      done = readHandshake(bytes);
    }
    if (upgraded) {
      int next = readFrame(bytes, done, at);
      while (next > done && !ended) {
        done = next;
        next = readFrame(bytes, done, at);
      }
    }
    unread = done == bytes.length ? NOTHING : Arrays.copyOfRange(bytes, done, bytes.length);
  }

  private int readHandshake(byte[] bytes) throws IOException {
    for (int i = 3; i < bytes.length; i++) {
      if (bytes[i] == '\n' && bytes[i - 1] == '\r' && bytes[i - 2] == '\n') {
        int answer = Integer.parseInt(new String(bytes, 9, 3, US_ASCII));
        if (answer != 101) {
          end(answer);
          return bytes.length;
        }
        upgraded = true;
        queue(
            "CONNECT\naccept-version:1.2\nheart-beat:0,0\nhost:sluice"
                + (session == null ? "" : "\nSluice-Session:" + session)
                + "\n\n\0");
        flush();
        return i + 1;
      }
    }
    return 0;
  }

  /** The end of the frame at {@code from}, or {@code from} when it isn't there in full. */
  private int readFrame(byte[] bytes, int from, long at) throws IOException {
    if (bytes.length - from < 2) {
      return from;
    }
    int opcode = bytes[from] & 0x0f;
    int length = bytes[from + 1] & 0x7f;
    int start = from + 2;
    if (length == 126) {
      if (bytes.length - from < 4) {
        return from;
      }
      length = (bytes[from + 2] & 0xff) << 8 | (bytes[from + 3] & 0xff);
      start = from + 4;
    } else if (length == 127) {
      if (bytes.length - from < 10) {
        return from;
      }
      length = ByteBuffer.wrap(bytes, from + 6, 4).getInt();
      start = from + 10;
    }
    int end = start + length;
    if (end > bytes.length) {
      return from;
    }
    switch (opcode) {
      case TEXT, BINARY -> heard(bytes, start, end, at);
      case PING -> write(frame(PONG, Arrays.copyOfRange(bytes, start, end)));
      case CLOSE -> {
        status = length >= 2 ? (bytes[start] & 0xff) << 8 | (bytes[start + 1] & 0xff) : 1005;
        write(frame(CLOSE, Arrays.copyOfRange(bytes, start, Math.min(end, start + 2))));
        end(status);
      }
      default -> throw new IOException("an unexpected frame: " + opcode);
    }
    return end;
  }

  private void heard(byte[] bytes, int start, int end, long at) throws IOException {
    switch (bytes[start]) {
      case 'M' -> listener.message(this, bytes, start, end, at);
      case 'R' -> listener.receipt(this);
      case 'C' -> listener.connected(this);
      case '\n', '\r' -> {}
      default -> throw new IOException(new String(bytes, start, end - start, US_ASCII));
    }
  }

  private void queue(String frame) {
    add(frame(TEXT, StompLoop.ascii(frame)));
  }

  /** Sends what is queued in one go, as a browser does with what a page sends at once. */
  public void flush() {
    try {
      write(null);
    } catch (IOException e) {
      end(status);
    }
  }

  /** Masked with zeros, which costs the server as much as any mask. */
  private static ByteBuffer frame(int opcode, byte[] payload) {
    ByteBuffer frame = ByteBuffer.allocate(payload.length + 8);
    frame.put((byte) (0x80 | opcode));
    if (payload.length < 126) {
      frame.put((byte) (0x80 | payload.length));
    } else {
      frame.put((byte) (0x80 | 126)).putShort((short) payload.length);
    }
    return frame.putInt(0).put(payload).flip();
  }

  private void add(ByteBuffer more) {
    if (unwritten == null) {
      unwritten = more;
    } else {
      unwritten =
          ByteBuffer.allocate(unwritten.remaining() + more.remaining())
              .put(unwritten)
              .put(more)
              .flip();
    }
  }

  private void write(ByteBuffer more) throws IOException {
    if (more != null) {
      add(more);
    }
    if (unwritten == null || ended) {
      return;
    }
    channel.write(unwritten);
    if (unwritten.hasRemaining()) {
      key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    } else {
      unwritten = null;
      key.interestOps(SelectionKey.OP_READ);
    }
  }

  void end(int code) {
    if (ended) {
      return;
    }
    ended = true;
    closeChannel();
    listener.ended(this, code);
  }

  private void closeChannel() {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      throw new IllegalStateException("closing a socket failed", e);
    }
  }
}
