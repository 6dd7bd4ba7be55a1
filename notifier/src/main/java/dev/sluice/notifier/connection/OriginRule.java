package dev.sluice.notifier.connection;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;

/**
 * Which pages may open a connection: those served under the same host and port, those named, and
 * whatever isn't a page and so sends no Origin. A browser shows cookies to any page's handshake, so
 * this is what keeps a foreign page from listening in.
 */
public final class OriginRule {
  private static final String ANY = "*";

  private final List<String> named;

  /**
   * @param named further origins, such as {@code https://tickets.example}, or {@code *} for all
   */
  public OriginRule(List<String> named) {
    this.named = named.stream().map(origin -> origin.toLowerCase(Locale.ROOT)).toList();
  }

  /**
   * @param origin header of the handshake, or null
   * @param host header of the handshake, or null
   */
  public boolean allows(String origin, String host) {
    if (origin == null || named.contains(ANY)) {
      return true;
    }
    String asked = origin.toLowerCase(Locale.ROOT);
    return named.contains(asked) || (host != null && isSame(asked, host.toLowerCase(Locale.ROOT)));
  }

  /** The scheme is left out: before a proxy it may be another than here. */
  private static boolean isSame(String origin, String host) {
    try {
      URI uri = new URI(origin);
      String authority = uri.getRawAuthority();
      if (authority == null || uri.getScheme() == null) {
        return false;
      }
      String defaultPort = uri.getScheme().equals("https") ? ":443" : ":80";
      return withoutPort(authority, defaultPort).equals(withoutPort(host, defaultPort));
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private static String withoutPort(String authority, String port) {
    return authority.endsWith(port)
        ? authority.substring(0, authority.length() - port.length())
        : authority;
  }
}
