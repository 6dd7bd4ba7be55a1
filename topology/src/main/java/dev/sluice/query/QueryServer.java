package dev.sluice.query;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.sluice.query.QueryException.Kind;
import dev.sluice.query.QueryJson.Fields;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The internal port: answers other processes of the installation for the partitions owned here.
 * Each request carries the installation's token.
 */
public final class QueryServer implements AutoCloseable {
  static final String PATH = "/queries/";
  static final int REFUSED = 503;
  private static final Logger LOG = LoggerFactory.getLogger(QueryServer.class);
  private static final int MAX_BODY = 64 * 1024;
  private static final Duration LONGEST_AWAIT = Duration.ofSeconds(60);

  static {
    // Until JDK 21 the server else holds back the end of each answer for some 40 ms.
    if (System.getProperty("sun.net.httpserver.nodelay") == null) {
      System.setProperty("sun.net.httpserver.nodelay", "true");
    }
  }

  private final LocalQueries local;
  private final LocalRoomQueries rooms;
  private final Map<OwnedKind, Owners> owners;
  private final byte[] authorization;
  private final HttpServer server;
  private final ExecutorService workers;

  /**
   * Listens, but accepts nothing before {@link #start}.
   *
   * @param port 0 for any free one
   * @param owners of each kind that others may ask for
   * @throws IOException if the port can't be had
   */
  public QueryServer(
      String bind,
      int port,
      String token,
      LocalQueries local,
      LocalRoomQueries rooms,
      Map<OwnedKind, Owners> owners)
      throws IOException {
    this.local = local;
    this.rooms = rooms;
    this.owners = new EnumMap<>(owners);
    this.authorization = ("Bearer " + token).getBytes(StandardCharsets.UTF_8);
    this.workers =
        Executors.newFixedThreadPool(
            4,
            task -> {
              Thread thread = new Thread(task, "sluice-query-port");
              thread.setDaemon(true);
              return thread;
            });
    server = HttpServer.create(new InetSocketAddress(bind, port), 0);
    server.setExecutor(workers);
    server.createContext(PATH, this::handle);
  }

  public void start() {
    server.start();
  }

  /** The port it listens on. */
  public int port() {
    return server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    String given = exchange.getRequestHeaders().getFirst("Authorization");
    if (given == null
        || !MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), authorization)) {
      send(exchange, 401, new byte[0]);
      return;
    }
    CompletableFuture<byte[]> reply;
    try (InputStream body = exchange.getRequestBody()) {
      byte[] json = body.readNBytes(MAX_BODY);
      String question = exchange.getRequestURI().getPath().substring(PATH.length());
      reply = reply(question, QueryJson.read(json));
    } catch (IOException | RuntimeException e) {
      LOG.debug("A question can't be read", e);
      send(exchange, 400, new byte[0]);
      return;
    }
    var unused = reply.whenComplete((json, failure) -> finish(exchange, json, failure));
  }

  private CompletableFuture<byte[]> reply(String question, Fields body) throws IOException {
    return switch (question) {
      case "await" ->
          encoded(
              local.await(
                  body.integer("partition"),
                  body.number("offset"),
                  Duration.ofMillis(
                      Math.min(body.number("atMostMillis"), LONGEST_AWAIT.toMillis()))),
              QueryJson::answer);
      case "person" ->
          encoded(
              local.person(body.text("roomId"), body.text("requestId"), body.number("leastOffset")),
              QueryJson::person);
      case "persons" ->
          encoded(local.people(body.text("roomId"), body.texts("requestIds")), QueryJson::people);
      case "people" ->
          encoded(
              local.people(body.integer("partition"), body.text("requestId")), QueryJson::people);
      case "room" -> encoded(local.room(body.text("roomId")), QueryJson::room);
      case "waiting" -> encoded(local.waiting(body.text("roomId")), QueryJson::waiting);
      case "system" ->
          CompletableFuture.completedFuture(QueryJson.system(local.system(body.text("owner"))));
      case "feed" ->
          encoded(
              rooms.feed(
                  body.text("roomId"),
                  body.number("after"),
                  body.number("upTo"),
                  body.integer("limit")),
              RoomQueryJson::feed);
      case "members" -> encoded(rooms.members(body.text("roomId")), RoomQueryJson::members);
      case "heat" -> encoded(rooms.heat(body.text("roomId")), RoomQueryJson::heat);
      case "hot" -> encoded(rooms.hot(body.integer("partition")), RoomQueryJson::rooms);
      case "heatSystem" ->
          CompletableFuture.completedFuture(
              RoomQueryJson.system(rooms.heatSystem(body.text("owner"))));
      case "owners" -> CompletableFuture.completedFuture(QueryJson.owners(ownersOf(body).all()));
      default -> throw new IOException("no such question: " + question);
    };
  }

  /** A process of the release before asks for those of admission, without saying so. */
  private Owners ownersOf(Fields body) {
    String of = body.text("of");
    return owners.getOrDefault(
        of == null ? OwnedKind.ADMISSION : OwnedKind.valueOf(of), Owners.NONE);
  }

  private static <T> CompletableFuture<byte[]> encoded(
      CompletableFuture<T> answer, Function<T, byte[]> encoder) {
    return answer.thenApply(encoder);
  }

  private static void finish(HttpExchange exchange, byte[] json, Throwable failure) {
    try {
      if (failure == null) {
        send(exchange, 200, json);
      } else {
        send(exchange, REFUSED, QueryJson.refusal(refusal(failure)));
      }
    } catch (IOException e) {
      LOG.debug("Whoever asked has gone", e);
    }
  }

  private static QueryException refusal(Throwable failure) {
    Throwable cause = Routing.cause(failure);
    if (cause instanceof QueryException refused) {
      return refused;
    }
    LOG.warn("A question met a fault", cause);
    return new QueryException(Kind.UNREACHABLE, "the owner met a fault");
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
      if (body.length > 0) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    workers.shutdown();
  }
}
