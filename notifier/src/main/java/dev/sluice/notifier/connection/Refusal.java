package dev.sluice.notifier.connection;

/** Why a handshake is refused. */
public enum Refusal {
  ORIGIN(403, "Forbidden", "Pages of this origin may not connect.", 0),
  /** Not yet, or no more. */
  NOT_ACCEPTING(503, "Service Unavailable", "No connections are taken at the moment.", 5),
  FULL(503, "Service Unavailable", "All connections are taken.", 5),
  /** More come in a second than this server takes. */
  RATE(
      429,
      "Too Many Requests",
      "Too many connect to this server at once. Wait for as long as Retry-After says and a random"
          + " moment more, then connect again.",
      1);

  private final int status;
  private final String title;
  private final String detail;
  private final int retryAfter;

  Refusal(int status, String title, String detail, int retryAfter) {
    this.status = status;
    this.title = title;
    this.detail = detail;
    this.retryAfter = retryAfter;
  }

  public Problem problem() {
    return new Problem(status, title, detail);
  }

  /** Seconds after which it may be otherwise; 0 for never. */
  public int retryAfter() {
    return retryAfter;
  }
}
