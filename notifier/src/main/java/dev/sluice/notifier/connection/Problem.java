package dev.sluice.notifier.connection;

import dev.sluice.identity.AdminRule;

/**
 * A refusal in the shape of RFC 9457, said in ERROR frames and to handshakes.
 *
 * @param status as HTTP would say it
 * @param title ASCII without quotes or backslashes, as is {@code detail}
 */
public record Problem(int status, String title, String detail) {
  private static final int PROTOCOL_ERROR = 1002;
  private static final int POLICY_VIOLATION = 1008;

  public static Problem malformed(String detail) {
    return new Problem(400, "Bad Request", detail);
  }

  public static Problem noSession(String detail) {
    return new Problem(401, "Unauthorized", detail);
  }

  public static Problem notYours() {
    return new Problem(403, "Forbidden", "This person belongs to another session.");
  }

  /**
   * @param verdict that doesn't allow it
   */
  public static Problem ofOperators(AdminRule.Verdict verdict) {
    return new Problem(
        verdict.status(),
        verdict == AdminRule.Verdict.NO_TOKEN ? "Unauthorized" : "Forbidden",
        verdict.detail());
  }

  public static Problem unknown(String detail) {
    return new Problem(404, "Not Found", detail);
  }

  public static Problem tooMany(String detail) {
    return new Problem(429, "Too Many Requests", detail);
  }

  /**
   * JSON of ASCII characters only.
   *
   * @param instance where it happened: a path without characters that JSON escapes
   */
  public String json(String instance) {
    return "{\"type\":\"about:blank\",\"title\":\""
        + title
        + "\",\"status\":"
        + status
        + ",\"detail\":\""
        + detail
        + "\",\"instance\":\""
        + instance
        + "\"}";
  }

  /** What a WebSocket is closed with on this account. */
  int closeCode() {
    return status == 400 ? PROTOCOL_ERROR : POLICY_VIOLATION;
  }
}
