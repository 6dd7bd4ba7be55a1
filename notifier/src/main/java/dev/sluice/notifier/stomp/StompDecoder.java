package dev.sluice.notifier.stomp;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.notifier.stomp.ClientFrame.Command;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the frames of one client from what arrives, in whatever pieces. Not thread-safe. After an
 * exception the stream has no known frame boundary and must be given up.
 */
public final class StompDecoder {
  private static final int MAX_HEADERS = 32;
  private static final byte[] NOTHING = {};

  private final int maxFrameBytes;
  private byte[] rest = NOTHING;

  /**
   * @param maxFrameBytes longest frame, in bytes, its body included
   */
  public StompDecoder(int maxFrameBytes) {
    this.maxFrameBytes = maxFrameBytes;
  }

  /** The frames that {@code data} completes; none for a heartbeat or a part of a frame. */
  public List<ClientFrame> decode(byte[] data) throws MalformedFrameException {
    byte[] bytes = rest.length == 0 ? data : joined(rest, data);
    List<ClientFrame> frames = new ArrayList<>(1);
    int start = skipLineEnds(bytes, 0);
    while (start < bytes.length) {
      int end = readFrame(bytes, start, frames);
      if (end < 0) {
        break;
      }
      start = skipLineEnds(bytes, end);
    }
    rest = start == bytes.length ? NOTHING : Arrays.copyOfRange(bytes, start, bytes.length);
    return frames;
  }

  /** The end of the frame at {@code start}, or -1 when more must come first. */
  private int readFrame(byte[] bytes, int start, List<ClientFrame> frames)
      throws MalformedFrameException {
    int body = endOfHead(bytes, start);
    if (body < 0) {
      requireWithinLimit(bytes.length - start);
      return -1;
    }
    requireWithinLimit(body - start);
    String[] lines = text(bytes, start, body).split("\n", -1);
    Command command = command(withoutReturn(lines[0]));
    Map<String, String> headers = headers(lines, command);
    int end = endOfBody(bytes, start, body, headers.get("content-length"));
    if (end < 0) {
      return -1;
    }
    if (end - 1 > body && command != Command.SEND) {
      throw new MalformedFrameException(command + " may not have a body");
    }
    frames.add(new ClientFrame(command, headers));
    return end;
  }

  /** Where the line after the blank one begins, or -1 when that has not come. */
  private static int endOfHead(byte[] bytes, int start) throws MalformedFrameException {
    int line = start;
    for (int i = start; i < bytes.length; i++) {
      if (bytes[i] == 0) {
        throw new MalformedFrameException("a frame's headers must end with a blank line");
      }
      if (bytes[i] == '\n') {
        boolean blank = i == line || (i == line + 1 && bytes[line] == '\r');
        if (blank && line > start) {
          return i + 1;
        }
        line = i + 1;
      }
    }
    return -1;
  }

  /** Where the byte after the frame's NUL is, or -1 when that has not come. */
  private int endOfBody(byte[] bytes, int start, int body, String contentLength)
      throws MalformedFrameException {
    if (contentLength == null) {
      for (int i = body; i < bytes.length; i++) {
        if (bytes[i] == 0) {
          requireWithinLimit(i - start);
          return i + 1;
        }
      }
      requireWithinLimit(bytes.length - start);
      return -1;
    }
    int nul = body + length(contentLength);
    requireWithinLimit(nul - start);
    if (nul >= bytes.length) {
      return -1;
    }
    if (bytes[nul] != 0) {
      throw new MalformedFrameException("content-length doesn't lead to the frame's end");
    }
    return nul + 1;
  }

  private int length(String contentLength) throws MalformedFrameException {
    try {
      int length = Integer.parseInt(contentLength);
      if (length >= 0 && length <= maxFrameBytes) {
        return length;
      }
    } catch (NumberFormatException e) {
      throw new MalformedFrameException("content-length is no number");
    }
    throw new MalformedFrameException("content-length is out of range");
  }

  private static Command command(String line) throws MalformedFrameException {
    try {
      return Command.valueOf(line);
    } catch (IllegalArgumentException e) {
      throw new MalformedFrameException("no STOMP command of a client");
    }
  }

  private static Map<String, String> headers(String[] lines, Command command)
      throws MalformedFrameException {
    // The text ends with the blank line's end, so its last two parts are empty.
    int count = lines.length - 3;
    if (count > MAX_HEADERS) {
      throw new MalformedFrameException("more than " + MAX_HEADERS + " headers");
    }
    boolean escaped = command != Command.CONNECT && command != Command.STOMP;
    Map<String, String> headers = new HashMap<>();
    for (int i = 1; i <= count; i++) {
      String line = withoutReturn(lines[i]);
      int colon = line.indexOf(':');
      if (colon < 1) {
        throw new MalformedFrameException("a header must be name:value");
      }
      String name = line.substring(0, colon);
      String value = line.substring(colon + 1);
      headers.putIfAbsent(escaped ? unescaped(name) : name, escaped ? unescaped(value) : value);
    }
    return headers;
  }

  private static String unescaped(String text) throws MalformedFrameException {
    int backslash = text.indexOf('\\');
    if (backslash < 0) {
      return text;
    }
    StringBuilder plain = new StringBuilder(text.length()).append(text, 0, backslash);
    int i = backslash;
    while (i < text.length()) {
      char c = text.charAt(i++);
      if (c != '\\') {
        plain.append(c);
      } else if (i < text.length()) {
        plain.append(meaningOf(text.charAt(i++)));
      } else {
        throw new MalformedFrameException("a header ends in the middle of an escape");
      }
    }
    return plain.toString();
  }

  private static char meaningOf(char escape) throws MalformedFrameException {
    return switch (escape) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 'c' -> ':';
      case '\\' -> '\\';
      default -> throw new MalformedFrameException("a header has an unknown escape");
    };
  }

  private static String text(byte[] bytes, int from, int to) throws MalformedFrameException {
    try {
      return UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes, from, to - from))
          .toString();
    } catch (CharacterCodingException e) {
      throw new MalformedFrameException("a frame's headers must be UTF-8");
    }
  }

  private void requireWithinLimit(int length) throws MalformedFrameException {
    if (length > maxFrameBytes) {
      throw new MalformedFrameException("a frame may have " + maxFrameBytes + " bytes");
    }
  }

  private static String withoutReturn(String line) {
    return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
  }

  private static int skipLineEnds(byte[] bytes, int from) {
    int i = from;
    while (i < bytes.length && (bytes[i] == '\n' || bytes[i] == '\r')) {
      i++;
    }
    return i;
  }

  private static byte[] joined(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
