package dev.sluice.notifier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.identity.Session;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A STOMP client on the JDK's WebSocket, which answers pings and never beats by itself. */
final class StompClient implements WebSocket.Listener, AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final int PATIENCE_SECONDS = 20;

  private final LinkedBlockingQueue<String> frames = new LinkedBlockingQueue<>();
  private final List<String> all = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Integer> closed = new CompletableFuture<>();
  private final StringBuilder part = new StringBuilder();
  private WebSocket socket;

  /** Opens a socket, with headers as name, value, name, value. */
  static StompClient open(int port, String... headers) throws Exception {
    StompClient client = new StompClient();
    WebSocket.Builder builder = HTTP.newWebSocketBuilder().subprotocols("v12.stomp");
    for (int i = 0; i < headers.length; i += 2) {
      builder.header(headers[i], headers[i + 1]);
    }
    client.socket =
        builder
            .buildAsync(URI.create("ws://127.0.0.1:" + port + "/ws"), client)
            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(client.socket.getSubprotocol()).isEqualTo("v12.stomp");
    return client;
  }

  /** Opens a socket and connects. */
  static StompClient connect(int port, Session session) throws Exception {
    StompClient client = open(port);
    client.send(
        "CONNECT\naccept-version:1.2\nhost:x\nheart-beat:20000,20000\nSluice-Session:"
            + session.token()
            + "\n\n\0");
    assertThat(client.next()).startsWith("CONNECTED\n");
    return client;
  }

  void send(String text) throws Exception {
    socket.sendText(text, true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  void sendBytes(byte[] bytes) throws Exception {
    socket.sendBinary(ByteBuffer.wrap(bytes), true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  void subscribe(String id, String destination, String... headers) throws Exception {
    StringBuilder more = new StringBuilder();
    Arrays.stream(headers).forEach(header -> more.append(header).append('\n'));
    send("SUBSCRIBE\nid:" + id + "\ndestination:" + destination + "\n" + more + "\n\0");
  }

  /** Subscribes and waits for the receipt, passing over what comes before it. */
  void subscribed(String id, String destination, String... headers) throws Exception {
    String[] more = Arrays.copyOf(headers, headers.length + 1);
    more[headers.length] = "receipt:" + id;
    subscribe(id, destination, more);
    nextWith("RECEIPT\nreceipt-id:" + id + "\n");
  }

  /** The next frame. */
  String next() throws InterruptedException {
    String frame = frames.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(frame).as("a frame").isNotNull();
    return frame;
  }

  /** The next frame that contains {@code text}. */
  String nextWith(String text) throws InterruptedException {
    String frame = next();
    while (!frame.contains(text)) {
      frame = next();
    }
    return frame;
  }

  /** All frames so far. */
  List<String> all() {
    return List.copyOf(all);
  }

  /** The close code, or 1006 when the socket just ended. */
  int closeCode() throws Exception {
    return closed.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  boolean isClosed() {
    return closed.isDone();
  }

  @Override
  public CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
    part.append(data);
    if (last) {
      String text = part.toString();
      part.setLength(0);
      if (!text.equals("\n")) {
        all.add(text);
        frames.add(text);
      }
    }
    webSocket.request(1);
    return null;
  }

  @Override
  public CompletionStage<?> onClose(WebSocket webSocket, int statusCode, String reason) {
    closed.complete(statusCode);
    return null;
  }

  @Override
  public void onError(WebSocket webSocket, Throwable error) {
    closed.complete(1006);
  }

  @Override
  public void close() {
    socket.abort();
  }
}
