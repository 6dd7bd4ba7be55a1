package dev.sluice.api.admission;

import dev.sluice.api.problem.Problem;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** An answer ready for the wire. Immutable. */
final class Answered {
  private static final String JSON = "application/json";

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

  /**
   * An answer that isn't a failure.
   *
   * @param cookie a {@code Set-Cookie}, or null
   */
  static Answered json(int status, byte[] body, String cookie) {
    return new Answered(status, JSON, body, 0, cookie, null);
  }

  /** A failure of the request to {@code path}. */
  static Answered problem(Problem problem, String path) {
    return new Answered(
        problem.status(),
        Problem.MEDIA_TYPE,
        problem.toJson(path),
        problem.retryAfter(),
        null,
        null);
  }

  /** The same, telling which methods the path knows. */
  Answered allowing(String methods) {
    return new Answered(status, mediaType, body, retryAfter, cookie, methods);
  }

  /** Puts it into a response; small as it is, that blocks nobody. */
  void writeTo(HttpServletResponse response) throws IOException {
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
    // Without a length the container sends all of it when the request completes, and only then.
    response.getOutputStream().write(body);
  }
}
