package dev.sluice.bench.http;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Builds the bytes of one HTTP/1.1 request. */
public final class Request {
  private final String method;
  private final String target;
  private final Map<String, String> headers = new LinkedHashMap<>();
  private byte[] body = new byte[0];

  private Request(String method, String target) {
    this.method = method;
    this.target = target;
  }

  /**
   * @param target path and query, already encoded
   */
  public static Request to(InetSocketAddress server, String method, String target) {
    return new Request(method, target)
        .header("Host", server.getHostString() + ":" + server.getPort());
  }

  public Request header(String name, String value) {
    headers.put(name, value);
    return this;
  }

  public Request json(String json) {
    body = json.getBytes(StandardCharsets.UTF_8);
    return header("Content-Type", "application/json");
  }

  public byte[] bytes() {
    StringBuilder head = new StringBuilder(256);
    head.append(method).append(' ').append(target).append(" HTTP/1.1\r\n");
    headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    if (body.length > 0 || !method.equals("GET")) {
      head.append("Content-Length: ").append(body.length).append("\r\n");
    }
    head.append("\r\n");
    byte[] headBytes = head.toString().getBytes(StandardCharsets.ISO_8859_1);
    byte[] whole = new byte[headBytes.length + body.length];
    System.arraycopy(headBytes, 0, whole, 0, headBytes.length);
    System.arraycopy(body, 0, whole, headBytes.length, body.length);
    return whole;
  }
}
