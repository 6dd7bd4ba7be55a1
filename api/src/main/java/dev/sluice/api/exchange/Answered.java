package dev.sluice.api.exchange;

import dev.sluice.api.problem.Problem;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** An answer ready for the wire. Immutable. */
public final class Answered {
  private static final String JSON = "application/json";

  /** A body up to this length is taken by the container whole, so that writing it blocks nobody. */
  private static final int SMALL = 4 * 1024;

  private final int status;
  private final String mediaType;
  private final byte[] body;
  private final int retryAfter;
  private final String cookie;
  private final String allow;

  private Answered(
      int status, String mediaType, byte[] body, int retryAfter, String cookie, String allow) {
    this.status = status;
    this.mediaType = mediaType;
    this.body = body;
    this.retryAfter = retryAfter;
    this.cookie = cookie;
    this.allow = allow;
  }

  /** An answer that isn't a failure. */
  public static Answered json(int status, byte[] body) {
    return json(status, body, null);
  }

  /**
   * An answer that isn't a failure.
   *
   * @param cookie a {@code Set-Cookie}, or null
   */
  public static Answered json(int status, byte[] body, String cookie) {
    return new Answered(status, JSON, body, 0, cookie, null);
  }

  /** A failure of the request to {@code path}. */
  public static Answered problem(Problem problem, String path) {
    return new Answered(
        problem.status(),
        Problem.MEDIA_TYPE,
        problem.toJson(path),
        problem.retryAfter(),
        null,
        null);
  }

  /** The same, telling which methods the path knows. */
  public Answered allowing(String methods) {
    return new Answered(status, mediaType, body, retryAfter, cookie, methods);
  }

  boolean isSmall() {
    return body.length <= SMALL;
  }

  byte[] body() {
    return body;
  }

  /** Puts it into a response, whole; if it is small, that blocks nobody. */
  public void writeTo(HttpServletResponse response) throws IOException {
    begin(response);
    // Without a length the container sends all of it when the request completes, and only then.
    response.getOutputStream().write(body);
  }

  /** Puts all but the body into a response. */
  void begin(HttpServletResponse response) {
    response.setStatus(status);
    response.setContentType(mediaType);
    response.setHeader("Cache-Control", "no-store");
    if (retryAfter > 0) {
      response.setHeader("Retry-After", Integer.toString(retryAfter));
    }
    if (cookie != null) {
      response.addHeader("Set-Cookie", cookie);
    }
    if (allow != null) {
      response.setHeader("Allow", allow);
    }
  }
}
