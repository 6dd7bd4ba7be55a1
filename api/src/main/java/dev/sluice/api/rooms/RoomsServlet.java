package dev.sluice.api.rooms;

import dev.sluice.api.exchange.Answered;
import dev.sluice.api.exchange.Exchange;
import dev.sluice.api.exchange.ExchangeServlet;
import dev.sluice.api.exchange.InFlight;
import dev.sluice.api.problem.Problem;
import dev.sluice.api.problem.ProblemException;
import dev.sluice.contract.Ids;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;

/**
 * Carries {@code /api/rooms/*}: from HTTP to {@link RoomCalls} and back, without a framework in
 * between, since this is the path that a crowd takes.
 */
public final class RoomsServlet extends ExchangeServlet {
  private static final long serialVersionUID = 1L;

  private static final String ROOMS = "/api/rooms/";
  private static final String HOT = "hot";
  private static final Duration AT_MOST = Duration.ofSeconds(20);

  private final transient RoomCalls calls;

  public RoomsServlet(RoomCalls calls, InFlight inFlight) {
    super(inFlight, AT_MOST);
    this.calls = calls;
  }

  @Override
  protected void route(String path, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (!path.startsWith(ROOMS)) {
      throw Problem.ofStatus(404).asException();
    }
    String rest = path.substring(ROOMS.length());
    int slash = rest.indexOf('/');
    String roomId = slash < 0 ? rest : rest.substring(0, slash);
    switch (slash < 0 ? "" : rest.substring(slash + 1)) {
      case "" -> {
        if (slash >= 0 || roomId.isEmpty()) {
          throw Problem.ofStatus(404).asException();
        }
        if (isAllowed(request, response, "GET")) {
          // A room of that name keeps its other paths.
          get(
              request,
              response,
              roomId.equals(HOT) ? calls::hot : () -> calls.room(requireId(roomId)));
        }
      }
      case "events" -> {
        if (isAllowed(request, response, "GET", "POST")) {
          events(roomId, request, response);
        }
      }
      case "join" ->
          post(
              request,
              response,
              roomId,
              (body, length) -> calls.join(RoomBody.membership(roomId, true, body, length)));
      case "leave" ->
          post(
              request,
              response,
              roomId,
              (body, length) -> calls.leave(RoomBody.membership(roomId, false, body, length)));
      default -> throw Problem.ofStatus(404).asException();
    }
  }

  private void events(String roomId, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    if (request.getMethod().equals("POST")) {
      post(
          request,
          response,
          roomId,
          (body, length) -> calls.event(RoomBody.event(roomId, body, length)));
    } else {
      FetchQuery query = query(request, asked -> FetchQuery.of(name -> once(asked, name)));
      requireId(roomId);
      get(request, response, () -> calls.fetch(roomId, query));
    }
  }

  private void get(
      HttpServletRequest request,
      HttpServletResponse response,
      Supplier<CompletableFuture<byte[]>> question) {
    Exchange exchange = begin(request, response);
    exchange.attempt(() -> answer(exchange, 200, question.get()));
  }

  private void post(
      HttpServletRequest request, HttpServletResponse response, String roomId, Call call)
      throws IOException {
    if (isAllowed(request, response, "POST")) {
      requireId(roomId);
      requireJson(request);
      Exchange exchange = begin(request, response);
      exchange.read((body, length) -> answer(exchange, 202, call.of(body, length)));
    }
  }

  private static void answer(Exchange exchange, int status, CompletableFuture<byte[]> body) {
    CompletableFuture<byte[]> unused =
        body.whenComplete(
            (bytes, failure) ->
                exchange.answer(() -> Answered.json(status, bodyOf(bytes, failure))));
  }

  private static byte[] bodyOf(byte[] bytes, Throwable failure) {
    if (failure == null) {
      return bytes;
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    throw cause instanceof ProblemException problem ? problem : new CompletionException(cause);
  }

  private static String requireId(String roomId) {
    if (!Ids.isValid(roomId)) {
      throw Problem.invalid("roomId", "must be 1 to 128 characters of A-Z a-z 0-9 . _ : -")
          .asException();
    }
    return roomId;
  }

  /** What is done with a body. */
  @FunctionalInterface
  private interface Call {
    CompletableFuture<byte[]> of(byte[] body, int length);
  }
}
