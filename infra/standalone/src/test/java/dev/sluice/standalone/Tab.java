package dev.sluice.standalone;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A tab of one person, who hears over STOMP what becomes of them; says each frame once. */
final class Tab implements WebSocket.Listener, AutoCloseable {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final int PATIENCE_SECONDS = 30;

  private final List<String> frames = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Integer> closed = new CompletableFuture<>();
  private final StringBuilder part = new StringBuilder();
  private WebSocket socket;

  /** Connects with a session and subscribes to all about one person in a room. */
  static Tab open(int port, String session, String room, String person) throws Exception {
    Tab tab = new Tab();
    tab.socket =
        HTTP.newWebSocketBuilder()
            .subprotocols("v12.stomp")
            .buildAsync(URI.create("ws://127.0.0.1:" + port + "/ws"), tab)
            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    StringBuilder said =
        new StringBuilder(
            "CONNECT\naccept-version:1.2\nhost:x\nSluice-Session:" + session + "\n\n\0");
    for (String kind : List.of("rank", "admission", "timeout")) {
      said.append("SUBSCRIBE\nid:")
          .append(kind)
          .append("\nroom:")
          .append(room)
          .append("\ndestination:/topic/")
          .append(kind)
          .append('/')
          .append(person)
          .append("\n\n\0");
    }
    said.append("SUBSCRIBE\nid:server\ndestination:/topic/server\nreceipt:last\n\n\0");
    tab.socket.sendText(said, true).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    return tab;
  }

  /** Frames so far that contain {@code text}. */
  List<String> with(String text) {
    return frames.stream().filter(frame -> frame.contains(text)).toList();
  }

  /** The close code; fails if it isn't closed in time. */
  int closeCode() throws Exception {
    return closed.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    part.append(data);
    if (last) {
      frames.add(part.toString());
      part.setLength(0);
    }
    from.request(1);
    return null;
  }

  @Override
  public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
    closed.complete(code);
    return null;
  }

  @Override
  public void onError(WebSocket from, Throwable error) {
    closed.complete(1006);
  }

  @Override
  public void close() {
    socket.abort();
  }
}
