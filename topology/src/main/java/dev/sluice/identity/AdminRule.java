package dev.sluice.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Who may make the calls of operators: whoever shows the token; where none is set, whoever sits at
 * this machine. The second is judged narrowly, since a page in the operator's own browser, or a
 * proxy on this machine, reaches loopback too. Thread-safe.
 */
public final class AdminRule {
  private static final String BEARER = "bearer ";
  private static final Pattern LOOPBACK_V4 = Pattern.compile("127(\\.\\d{1,3}){3}");
  private static final Set<String> LOOPBACK_V6 = Set.of("::1", "0:0:0:0:0:0:0:1");

  private final String token;

  /** What came of judging a call. */
  public enum Verdict {
    ALLOWED(200, ""),
    /** No token, or another one. */
    NO_TOKEN(401, "This call needs the token of operators."),
    /** No token is set and the call doesn't plainly come from this machine. */
    NOT_LOCAL(403, "Without a token of operators this call is for this machine only.");

    private final int status;
    private final String detail;

    Verdict(int status, String detail) {
      this.status = status;
      this.detail = detail;
    }

    /** As HTTP says it. */
    public int status() {
      return status;
    }

    /** A sentence for a person to read. */
    public String detail() {
      return detail;
    }
  }

  /**
   * What is judged.
   *
   * @param peer address at the other end of the socket, as a literal
   * @param headerNames of all headers, in any case
   * @param authorization header, or null
   * @param host header, or null
   * @param origin header, or null
   */
  public record Call(
      String peer, Set<String> headerNames, String authorization, String host, String origin) {
    public Call {
      headerNames = Set.copyOf(headerNames);
    }
  }

  /**
   * @param token of operators; null or blank when none is set
   */
  public AdminRule(String token) {
    this.token = token == null || token.isBlank() ? null : token.strip();
  }

  public Verdict judge(Call call) {
    if (token != null) {
      return showsToken(call.authorization()) ? Verdict.ALLOWED : Verdict.NO_TOKEN;
    }
    return isLocal(call) ? Verdict.ALLOWED : Verdict.NOT_LOCAL;
  }

  private boolean showsToken(String authorization) {
    return authorization != null
        && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
        && MessageDigest.isEqual(
            authorization.substring(BEARER.length()).strip().getBytes(UTF_8),
            token.getBytes(UTF_8));
  }

  private static boolean isLocal(Call call) {
    return isLoopback(call.peer())
        && call.headerNames().stream().noneMatch(AdminRule::isOfProxy)
        && call.host() != null
        && isLoopbackName(withoutPort(call.host()))
        && (call.origin() == null || isSame(call.origin(), call.host()));
  }

  private static boolean isOfProxy(String headerName) {
    String name = headerName.toLowerCase(Locale.ROOT);
    return name.equals("forwarded") || name.equals("via") || name.startsWith("x-forwarded-");
  }

  private static boolean isSame(String origin, String host) {
    return origin.equalsIgnoreCase("http://" + host) || origin.equalsIgnoreCase("https://" + host);
  }

  private static boolean isLoopbackName(String name) {
    return name.equalsIgnoreCase("localhost") || isLoopback(name);
  }

  /** By its text alone: a name is never looked up. */
  private static boolean isLoopback(String address) {
    String plain = address.startsWith("[") ? address.substring(1).replace("]", "") : address;
    return LOOPBACK_V4.matcher(plain).matches() || LOOPBACK_V6.contains(plain);
  }

  private static String withoutPort(String host) {
    int bracket = host.indexOf(']');
    int colon = host.indexOf(':', Math.max(bracket, 0));
    return colon < 0 ? host : host.substring(0, colon);
  }
}
