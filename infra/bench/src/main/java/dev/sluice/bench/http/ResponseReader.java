package dev.sluice.bench.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * Reads the HTTP/1.1 responses of one connection, one after another (RFC 9112): bodies of a stated
 * length, chunked, or none.
 */
final class ResponseReader {
  private static final int NOT_YET = -1;

  private byte[] bytes = new byte[4096];
  private int end;
  private int status;
  private boolean closes;
  private byte[] body;
  private int consumed;

  /**
   * Takes what has arrived.
   *
   * @return false at the end of the stream
   */
  boolean readFrom(ReadableByteChannel channel) throws IOException {
    if (end == bytes.length) {
      bytes = Arrays.copyOf(bytes, bytes.length * 2);
    }
    int read = channel.read(ByteBuffer.wrap(bytes, end, bytes.length - end));
    if (read < 0) {
      return false;
    }
    end += read;
    return true;
  }

  /** Whether a whole response is here; then {@link #status} and {@link #body} are those of it. */
  boolean isComplete() throws IOException {
    int headersEnd = headersEnd();
    if (headersEnd < 0) {
      return false;
    }
    String head = new String(bytes, 0, headersEnd, StandardCharsets.ISO_8859_1);
    if (!head.startsWith("HTTP/1.1 ") || head.length() < 12) {
      throw new IOException("not an HTTP/1.1 answer");
    }
    status = number(head.substring(9, 12), 10);
    String connection = header(head, "connection");
    closes = connection != null && connection.equalsIgnoreCase("close");
    int start = headersEnd + 4;
    String length = header(head, "content-length");
    if (length != null) {
      consumed = start + number(length, 10);
      if (end < consumed) {
        return false;
      }
      body = Arrays.copyOfRange(bytes, start, consumed);
      return true;
    }
    if (header(head, "transfer-encoding") != null) {
      consumed = readChunks(start);
      return consumed != NOT_YET;
    }
    if (status == 204 || status == 304) {
      body = new byte[0];
      consumed = start;
      return true;
    }
    throw new IOException("an answer of unknown length");
  }

  int status() {
    return status;
  }

  byte[] body() {
    return body;
  }

  boolean closes() {
    return closes;
  }

  boolean isEmpty() {
    return end == 0;
  }

  /** Forgets the complete response. */
  void next() {
    System.arraycopy(bytes, consumed, bytes, 0, end - consumed);
    end -= consumed;
    body = null;
  }

  private int headersEnd() {
    for (int i = 0; i + 3 < end; i++) {
      if (bytes[i] == '\r'
          && bytes[i + 1] == '\n'
          && bytes[i + 2] == '\r'
          && bytes[i + 3] == '\n') {
        return i;
      }
    }
    return NOT_YET;
  }

  private int readChunks(int start) throws IOException {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    int at = start;
    while (true) {
      int lineEnd = lineEnd(at);
      if (lineEnd < 0) {
        return NOT_YET;
      }
      String line = new String(bytes, at, lineEnd - at, StandardCharsets.ISO_8859_1);
      int extension = line.indexOf(';');
      int size = number(extension < 0 ? line : line.substring(0, extension), 16);
      at = lineEnd + 2;
      if (end < at + size + 2) {
        return NOT_YET;
      }
      whole.write(bytes, at, size);
      at += size + 2;
      if (size == 0) {
        body = whole.toByteArray();
        return at;
      }
    }
  }

  private int lineEnd(int from) {
    for (int i = from; i + 1 < end; i++) {
      if (bytes[i] == '\r' && bytes[i + 1] == '\n') {
        return i;
      }
    }
    return NOT_YET;
  }

  private static int number(String digits, int radix) throws IOException {
    try {
      return Integer.parseUnsignedInt(digits, radix);
    } catch (NumberFormatException e) {
      throw new IOException("not an HTTP/1.1 answer: " + digits, e);
    }
  }

  private static String header(String head, String name) {
    int at = head.indexOf("\r\n");
    while (at >= 0) {
      int start = at + 2;
      if (head.regionMatches(true, start, name, 0, name.length())
          && start + name.length() < head.length()
          && head.charAt(start + name.length()) == ':') {
        int stop = head.indexOf("\r\n", start);
        return head.substring(start + name.length() + 1, stop < 0 ? head.length() : stop)
            .strip()
            .toLowerCase(Locale.ROOT);
      }
      at = head.indexOf("\r\n", start);
    }
    return null;
  }
}
