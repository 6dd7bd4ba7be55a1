package dev.sluice.query;

/** Where a process answers queries. */
public record Address(String host, int port) {
  /**
   * Reads {@code host:port}.
   *
   * @throws IllegalArgumentException if {@code text} is anything else
   */
  public static Address parse(String text) {
    int colon = text.lastIndexOf(':');
    try {
      int port = Integer.parseInt(text.substring(colon + 1));
      if (colon < 1 || port < 1 || port > 65_535) {
        throw new IllegalArgumentException("not host:port: " + text);
      }
      return new Address(text.substring(0, colon), port);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not host:port: " + text, e);
    }
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
