package dev.sluice.notifier;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.identity.Session;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A WebSocket client by hand, which reads only when told to and answers nothing by itself. */
final class RawClient implements AutoCloseable {
  private static final int RECEIVE_BUFFER = 4 * 1024;
  private static final int PATIENCE_MILLIS = 20_000;

  private final Socket socket = new Socket();
  private final DataInputStream in;
  private final String status;

  /** Shakes hands with further headers, each {@code name: value}. */
  RawClient(int port, String... headers) throws IOException {
    socket.setReceiveBufferSize(RECEIVE_BUFFER);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    StringBuilder request = new StringBuilder("GET /ws HTTP/1.1\r\nHost: 127.0.0.1:" + port);
    for (String header : headers) {
      request.append("\r\n").append(header);
    }
    if (headers.length == 0 || !headers[0].startsWith("Plain")) {
      request.append(
          "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
              + "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
              + "\r\nSec-WebSocket-Extensions: permessage-deflate");
    }
    socket.getOutputStream().write(request.append("\r\n\r\n").toString().getBytes(UTF_8));
    in = new DataInputStream(socket.getInputStream());
    status = readHead();
  }

  static RawClient connect(int port, Session session) throws IOException {
    RawClient client = new RawClient(port);
    client.send(
        "CONNECT\naccept-version:1.2\nhost:x\nSluice-Session:" + session.token() + "\n\n\0");
    client.read();
    return client;
  }

  private String readHead() throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(ISO_8859_1).endsWith("\r\n\r\n")) {
      head.write(in.readByte());
    }
    return head.toString(ISO_8859_1);
  }

  /** Status line and headers of the handshake's answer. */
  String handshake() {
    return status;
  }

  /** Sends one text message. */
  void send(String text) throws IOException {
    send(0x81, text.getBytes(UTF_8));
  }

  /** Sends one frame that begins with the byte {@code first}. */
  void send(int first, byte... payload) throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    frame.write(first);
    if (payload.length < 126) {
      frame.write(0x80 | payload.length);
    } else {
      frame.write(0x80 | 126);
      frame.write(payload.length >> 8);
      frame.write(payload.length & 0xff);
    }
    // A mask of zeros leaves the payload as it is.
    frame.write(new byte[4]);
    frame.write(payload);
    write(frame.toByteArray());
  }

  /** Sends bytes as they are. */
  void write(byte... bytes) throws IOException {
    socket.getOutputStream().write(bytes);
  }

  /** The next text message, passing over control frames; throws when the socket has ended. */
  String read() throws IOException {
    while (true) {
      Frame frame = readFrame();
      if (frame.opcode() == 1) {
        return new String(frame.payload(), UTF_8);
      }
      if (frame.opcode() == 8) {
        throw new EOFException("closed with " + frame.closeCode());
      }
    }
  }

  /** A frame as it came. */
  @SuppressWarnings("ArrayRecordComponent") // read once
  record Frame(int opcode, byte[] payload) {
    int closeCode() {
      return (payload[0] & 0xff) << 8 | (payload[1] & 0xff);
    }
  }

  /** The next frame, of whatever kind; throws when the socket has ended. */
  Frame readFrame() throws IOException {
    int first = in.readUnsignedByte();
    int length = in.readUnsignedByte();
    if (length == 126) {
      length = in.readUnsignedShort();
    }
    byte[] payload = new byte[length];
    in.readFully(payload);
    return new Frame(first & 0x0f, payload);
  }

  /** The code that the server closes with, passing over all before; -1 if the socket just ends. */
  int closeCode() throws IOException {
    try {
      Frame frame = readFrame();
      while (frame.opcode() != 8) {
        frame = readFrame();
      }
      return frame.closeCode();
    } catch (EOFException e) {
      return -1;
    }
  }

  /** Ends the socket without a word; safe to call again. */
  @Override
  public void close() throws IOException {
    if (!socket.isClosed()) {
      socket.setSoLinger(true, 0);
      socket.close();
    }
  }
}
