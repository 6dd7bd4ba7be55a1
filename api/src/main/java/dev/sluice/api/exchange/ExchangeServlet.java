package dev.sluice.api.exchange;

import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemException;
import dev.sluice.api.problem.ProblemType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;

/** Carries calls without a framework in between; what it can't carry becomes a {@link Problem}. */
public abstract class ExchangeServlet extends HttpServlet {
  private static final long serialVersionUID = 1L;

  private final transient InFlight inFlight;
  private final transient Duration atMost;

  /**
   * @param atMost until a call is given up
   */
  protected ExchangeServlet(InFlight inFlight, Duration atMost) {
    this.inFlight = inFlight;
    this.atMost = atMost;
  }

  /** Answers a call, or begins to; what it throws as {@link ProblemException} is the answer. */
  protected abstract void route(
      String path, HttpServletRequest request, HttpServletResponse response) throws IOException;

  @Override
  protected final void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    String info = request.getPathInfo();
    String path = info == null ? request.getServletPath() : request.getServletPath() + info;
    try {
      route(path, request, response);
    } catch (ProblemException e) {
      Answered.problem(e.problem(), request.getRequestURI()).writeTo(response);
    }
  }

  /**
   * Begins an asynchronous call.
   *
   * @throws ProblemException if too many are under way
   */
  protected final Exchange begin(HttpServletRequest request, HttpServletResponse response) {
    if (!inFlight.begin()) {
      throw Problem.passing(
              ProblemType.BUSY, "Too many calls are under way here; nothing was stored.", 1)
          .asException();
    }
    return new Exchange(request, response, atMost, inFlight);
  }

  /**
   * @throws ProblemException if the body is declared to be anything but JSON
   */
  protected static void requireJson(HttpServletRequest request) {
    if (!MediaTypes.isJson(request.getContentType())
        || request.getHeader("Content-Encoding") != null) {
      throw Problem.ofStatus(415).asException();
    }
  }

  /** Whether the method is {@code method}; if not, that has been answered. */
  protected static boolean isAllowed(
      HttpServletRequest request, HttpServletResponse response, String method) throws IOException {
    return isAllowed(request, response, method, method);
  }

  /** Whether the method is one of two, or HEAD for GET; if not, that has been answered. */
  protected static boolean isAllowed(
      HttpServletRequest request, HttpServletResponse response, String one, String other)
      throws IOException {
    String asked = request.getMethod();
    boolean hasGet = one.equals("GET") || other.equals("GET");
    if (asked.equals(one) || asked.equals(other) || (hasGet && asked.equals("HEAD"))) {
      return true;
    }
    String methods = one.equals(other) ? one : one + ", " + other;
    Answered refusal = Answered.problem(Problem.ofStatus(405), request.getRequestURI());
    refusal.allowing(hasGet ? methods.replace("GET", "GET, HEAD") : methods).writeTo(response);
    return false;
  }

  /**
   * What {@code reader} makes of the query.
   *
   * @throws ProblemException if it can't be decoded, for which the container throws several kinds
   */
  protected static <T> T query(HttpServletRequest request, QueryReader<T> reader) {
    try {
      return reader.read(request);
    } catch (ProblemException e) {
      throw e;
    } catch (RuntimeException e) {
      throw Problem.of(ProblemType.MALFORMED, "The query can't be decoded.").asException();
    }
  }

  /** Makes something of the parameters of a query. */
  @FunctionalInterface
  protected interface QueryReader<T> {
    T read(HttpServletRequest request);
  }

  /**
   * A parameter of the query, or null.
   *
   * @throws ProblemException if it is there more than once
   */
  protected static String once(HttpServletRequest request, String name) {
    String[] values = request.getParameterValues(name);
    if (values != null && values.length > 1) {
      throw Problem.invalid(name, "must be there once").asException();
    }
    return values == null ? null : values[0];
  }

  /**
   * A whole number from 0.
   *
   * @throws ProblemException if {@code text} is none
   */
  protected static long number(String field, String text) {
    if (!text.matches("[0-9]{1,18}")) {
      throw Problem.invalid(field, "must be a whole number, 0 or more").asException();
    }
    return Long.parseLong(text);
  }
}
