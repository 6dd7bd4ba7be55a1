package dev.sluice.api.admission;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sluice.api.exchange.Answered;
import dev.sluice.api.exchange.Exchange;
import dev.sluice.api.exchange.ExchangeServlet;
import dev.sluice.api.exchange.InFlight;
import dev.sluice.api.problem.Problem;
import dev.sluice.contract.PersonStatus;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Session;
import dev.sluice.identity.Sessions;
import dev.sluice.query.AdmissionQueries;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Carries {@code /api/sessions/*} and {@code /api/admission/*}: from HTTP to {@link AdmissionCalls}
 * and back, without a framework in between, since this is the path that a herd takes.
 */
public final class AdmissionServlet extends ExchangeServlet {
  private static final long serialVersionUID = 1L;

  private static final String ISSUE = "/api/sessions/issue";
  private static final String ENTER = "/api/admission/enter";
  private static final String STATUS = "/api/admission/status";
  private static final String HEARTBEAT = "/api/admission/heartbeat";
  private static final String COMPLETE = "/api/admission/complete";
  private static final String LEAVE = "/api/admission/leave";
  private static final String KEYS = "/api/admission/keys";

  private static final Duration FOR_THE_BODY = Duration.ofSeconds(10);

  private final transient AdmissionCalls calls;
  private final transient AdmissionQueries queries;
  private final transient Sessions sessions;
  private final transient Credentials credentials;
  private final transient PersonJson json;
  private final transient Answered keys;
  private final transient Executor signers;

  /**
   * @param signers make the answers that bear a pass. Signing one takes longer than all else, and
   *     whoever learns of an answer first (a stream thread, mostly) has more to do; any other
   *     answer is written by that thread, since waking another one would cost more
   * @param answerWithin as {@link AdmissionCalls} has it
   */
  public AdmissionServlet(
      AdmissionCalls calls,
      AdmissionQueries queries,
      Sessions sessions,
      Passes passes,
      InFlight inFlight,
      Executor signers,
      Duration answerWithin) {
    super(inFlight, FOR_THE_BODY.plus(answerWithin).plus(answerWithin));
    this.calls = calls;
    this.queries = queries;
    this.sessions = sessions;
    this.credentials = new Credentials(sessions);
    this.json = new PersonJson(passes);
    this.keys = Answered.json(200, passes.jwks().getBytes(UTF_8), null);
    this.signers = signers;
  }

  @Override
  protected void route(String path, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    switch (path) {
      case ENTER -> {
        if (isAllowed(request, response, "POST")) {
          enter(request, response);
        }
      }
      case STATUS -> {
        if (isAllowed(request, response, "GET")) {
          status(request, response);
        }
      }
      case HEARTBEAT -> change(request, response, calls::heartbeat);
      case COMPLETE -> change(request, response, calls::complete);
      case LEAVE -> change(request, response, calls::leave);
      case KEYS -> {
        if (isAllowed(request, response, "GET")) {
          keys.writeTo(response);
        }
      }
      case ISSUE -> {
        if (isAllowed(request, response, "POST")) {
          issue(request, response);
        }
      }
      default -> throw Problem.ofStatus(404).asException();
    }
  }

  private void issue(HttpServletRequest request, HttpServletResponse response) throws IOException {
    String token = sessions.issue().token();
    String cookie = Credentials.cookie(token, request.isSecure());
    Answered.json(201, PersonJson.session(token), cookie).writeTo(response);
  }

  private void enter(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Optional<Session> shown = credentials.shownBy(request);
    Session session = shown.orElseGet(sessions::issue);
    String newToken = shown.isPresent() ? null : session.token();
    boolean secure = request.isSecure();
    requireJson(request);
    Exchange exchange = begin(request, response);
    exchange.read(
        (body, length) ->
            answer(
                exchange,
                calls.enter(PersonName.fromJson(body, length), session),
                newToken,
                secure));
  }

  private void change(HttpServletRequest request, HttpServletResponse response, Change change)
      throws IOException {
    if (!isAllowed(request, response, "POST")) {
      return;
    }
    Session session = credentials.requiredOf(request);
    requireJson(request);
    Exchange exchange = begin(request, response);
    exchange.read(
        (body, length) ->
            answer(exchange, change.of(PersonName.fromJson(body, length), session), null, false));
  }

  private void status(HttpServletRequest request, HttpServletResponse response) throws IOException {
    Session session = credentials.requiredOf(request);
    Asked asked = query(request, this::asked);
    Exchange exchange = begin(request, response);
    exchange.attempt(
        () ->
            answer(
                exchange, calls.status(asked.name(), session, asked.leastOffset()), null, false));
  }

  /** What a question for a person's state asks. */
  private record Asked(PersonName name, long leastOffset) {}

  private Asked asked(HttpServletRequest request) {
    PersonName name =
        PersonName.fromParameters(
            request.getParameterValues("roomId"),
            request.getParameterValues("movieId"),
            request.getParameterValues("requestId"));
    return new Asked(name, leastOffset(request, queries.partitionOf(name.roomId())));
  }

  /**
   * The offset that a PENDING receipt named, once its partition has been found to be the room's.
   */
  private static long leastOffset(HttpServletRequest request, int partition) {
    String offset = once(request, "offset");
    String given = once(request, "partition");
    if (given != null && number("partition", given) != partition) {
      throw Problem.invalid("partition", "is not that of the room").asException();
    }
    if (offset == null) {
      return AdmissionQueries.ANY;
    }
    if (given == null) {
      throw Problem.invalid("partition", "is missing, as offset is given").asException();
    }
    return number("offset", offset);
  }

  private void answer(
      Exchange exchange, CompletableFuture<Reply> reply, String newToken, boolean secure) {
    Runnable write = () -> exchange.answer(() -> answered(reply.join(), newToken, secure));
    if (reply.isDone()) {
      write.run();
      return;
    }
    CompletableFuture<Reply> unused =
        reply.whenComplete(
            (done, failure) -> {
              if (hasPass(done)) {
                elsewhere(write);
              } else {
                write.run();
              }
            });
  }

  private void elsewhere(Runnable write) {
    try {
      signers.execute(write);
    } catch (RejectedExecutionException e) {
      write.run();
    }
  }

  private static boolean hasPass(Reply reply) {
    return reply instanceof Reply.Found found && found.person().status() == PersonStatus.ADMITTED;
  }

  private Answered answered(Reply reply, String newToken, boolean secure) {
    String cookie = newToken == null ? null : Credentials.cookie(newToken, secure);
    if (reply instanceof Reply.Found found) {
      return Answered.json(found.status(), json.write(found, newToken), cookie);
    }
    if (reply instanceof Reply.Pending pending) {
      return Answered.json(pending.status(), json.write(pending, newToken), cookie);
    }
    throw ((Reply.Refused) reply).problem().asException();
  }

  /** A call that changes a place. */
  @FunctionalInterface
  private interface Change {
    CompletableFuture<Reply> of(PersonName name, Session session);
  }
}
