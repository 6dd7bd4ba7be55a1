package dev.sluice.api.admin;

import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemType;
import dev.sluice.identity.AdminRule;
import dev.sluice.identity.AdminRule.Call;
import dev.sluice.identity.AdminRule.Verdict;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;

/** Stands before the admin calls and lets through whom {@link AdminRule} allows. */
public final class AdminFilter extends HttpFilter {
  private static final long serialVersionUID = 1L;

  private final transient AdminRule rule;

  public AdminFilter(AdminRule rule) {
    this.rule = rule;
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Verdict verdict = rule.judge(callOf(request));
    if (verdict == Verdict.ALLOWED) {
      chain.doFilter(request, response);
      return;
    }
    Problem problem =
        Problem.of(
            verdict == Verdict.NO_TOKEN ? ProblemType.NO_TOKEN : ProblemType.NOT_LOCAL,
            verdict.detail());
    if (verdict == Verdict.NO_TOKEN) {
      response.setHeader("WWW-Authenticate", "Bearer");
    }
    response.setStatus(problem.status());
    response.setContentType(Problem.MEDIA_TYPE);
    response.setHeader("Cache-Control", "no-store");
    response.getOutputStream().write(problem.toJson(request.getRequestURI()));
  }

  private static Call callOf(HttpServletRequest request) {
    return new Call(
        request.getRemoteAddr(),
        new HashSet<>(Collections.list(request.getHeaderNames())),
        request.getHeader("Authorization"),
        request.getHeader("Host"),
        origin(request));
  }

  /** Several are none that could be the right one. */
  private static String origin(HttpServletRequest request) {
    List<String> all = Collections.list(request.getHeaders("Origin"));
    return all.isEmpty() ? null : String.join(" ", all);
  }
}
