package dev.sluice.api.admission;

import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemException;
import dev.sluice.api.problem.ProblemType;
import dev.sluice.identity.Session;
import dev.sluice.identity.Sessions;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/** The session that a request shows: in the header, which wins, or in the cookie. */
final class Credentials {
  static final String HEADER = "Sluice-Session";
  static final String COOKIE = "SLUICE_SESSION";

  private final Sessions sessions;

  Credentials(Sessions sessions) {
    this.sessions = sessions;
  }

  /**
   * The session shown; empty when none is.
   *
   * @throws ProblemException if one is shown and none that is shown was issued here
   */
  Optional<Session> shownBy(HttpServletRequest request) {
    String header = request.getHeader(HEADER);
    if (header != null && !header.isBlank()) {
      return Optional.of(sessions.verify(header.strip()).orElseThrow(Credentials::forged));
    }
    Cookie[] cookies = request.getCookies();
    boolean shown = false;
    if (cookies != null) {
      for (Cookie cookie : cookies) {
        if (cookie.getName().equals(COOKIE)) {
          Optional<Session> session = sessions.verify(cookie.getValue());
          if (session.isPresent()) {
            return session;
          }
          shown = true;
        }
      }
    }
    if (shown) {
      throw forged();
    }
    return Optional.empty();
  }

  /**
   * The session shown.
   *
   * @throws ProblemException if none is, or none that was issued here
   */
  Session requiredOf(HttpServletRequest request) {
    return shownBy(request)
        .orElseThrow(
            () ->
                Problem.of(
                        ProblemType.NO_SESSION,
                        "Show the session as the cookie SLUICE_SESSION or the header"
                            + " Sluice-Session.")
                    .asException());
  }

  /** The {@code Set-Cookie} of a session; {@code secure} when the request came over TLS. */
  static String cookie(String token, boolean secure) {
    return COOKIE + "=" + token + "; Path=/; HttpOnly; SameSite=Lax" + (secure ? "; Secure" : "");
  }

  private static ProblemException forged() {
    return Problem.of(ProblemType.FORGED_SESSION, "This session was not issued here.")
        .asException();
  }
}
