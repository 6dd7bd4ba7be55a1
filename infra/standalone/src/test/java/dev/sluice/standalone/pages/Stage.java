package dev.sluice.standalone.pages;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;

/** Stands before a Sluice: some calls it answers as a test has it, all others Sluice does. */
final class Stage implements AutoCloseable {
  private static final Set<String> OF_THE_CONNECTION =
      Set.of("connection", "content-length", "host", "origin", "transfer-encoding", "upgrade");

  private final HttpClient http = HttpClient.newHttpClient();
  private final String sluice;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, Function<HttpExchange, Answer>> scripted = new ConcurrentHashMap<>();
  private final Set<String> lost = ConcurrentHashMap.newKeySet();

  /** JSON; without a body the connection is closed instead of an answer. */
  record Answer(int status, String body) {
    static Answer ok(String body) {
      return new Answer(200, body);
    }
  }

  Stage(int sluicePort) throws IOException {
    this.sluice = "http://localhost:" + sluicePort;
    this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  String site() {
    return "http://localhost:" + server.getAddress().getPort();
  }

  /** Has calls of a path answered so from now on. */
  void script(String path, Function<HttpExchange, Answer> answer) {
    scripted.put(path, answer);
  }

  /** Has Sluice's next answer to a call of a path get lost on the way. */
  void lose(String path) {
    lost.add(path);
  }

  /** Has Sluice answer everything again. */
  void clear() {
    scripted.clear();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Function<HttpExchange, Answer> script = scripted.get(exchange.getRequestURI().getPath());
      if (script == null) {
        passOn(exchange);
        return;
      }
      Answer answer = script.apply(exchange);
      if (answer.body() != null) {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        send(exchange, answer.status(), answer.body().getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private void passOn(HttpExchange exchange) throws IOException {
    byte[] body = exchange.getRequestBody().readAllBytes();
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(sluice + exchange.getRequestURI()))
            .method(exchange.getRequestMethod(), BodyPublishers.ofByteArray(body));
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> values.forEach(value -> header(request, name, value)));
    try {
      HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
      if (lost.remove(exchange.getRequestURI().getPath())) {
        return;
      }
      response
          .headers()
          .map()
          .forEach(
              (name, values) -> {
                if (!isOfTheConnection(name)) {
                  exchange.getResponseHeaders().put(name, values);
                }
              });
      send(exchange, response.statusCode(), response.body());
    } catch (InterruptedException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }

  private static void header(HttpRequest.Builder request, String name, String value) {
    if (!isOfTheConnection(name)) {
      request.header(name, value);
    }
  }

  private static boolean isOfTheConnection(String header) {
    return header.startsWith(":") || OF_THE_CONNECTION.contains(header.toLowerCase(Locale.ROOT));
  }

  private static void send(HttpExchange exchange, int status, byte[] body) throws IOException {
    exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
