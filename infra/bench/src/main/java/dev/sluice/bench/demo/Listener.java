package dev.sluice.bench.demo;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One connection that is subscribed to a room. */
final class Listener implements WebSocket.Listener {
  private static final Pattern CURSOR = Pattern.compile("\"cursor\":\"(-?\\d+)\"");

  private final LongConsumer pushed;
  private final CompletableFuture<Void> connected = new CompletableFuture<>();
  private final StringBuilder frame = new StringBuilder();

  private Listener(LongConsumer pushed) {
    this.pushed = pushed;
  }

  /**
   * Connects and subscribes.
   *
   * @param pushed told the cursor of each push, on a thread of the connection
   * @return done once the subscription is on its way
   */
  static CompletableFuture<WebSocket> open(
      HttpClient http, InetSocketAddress server, String room, LongConsumer pushed) {
    Listener listener = new Listener(pushed);
    URI uri = URI.create("ws://" + server.getHostString() + ":" + server.getPort() + "/ws");
    return http.newWebSocketBuilder()
        .buildAsync(uri, listener)
        .thenCompose(
            socket ->
                socket.sendText("CONNECT\naccept-version:1.2\nheart-beat:0,0\nhost:x\n\n\0", true))
        .thenCombine(listener.connected, (socket, nothing) -> socket)
        .thenCompose(
            socket ->
                socket.sendText(
                    "SUBSCRIBE\nid:room\ndestination:/topic/room/" + room + "\n\n\0", true));
  }

  @Override
  public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
    frame.append(text);
    if (last) {
      Matcher cursor = CURSOR.matcher(frame);
      if (frame.indexOf("CONNECTED") == 0) {
        connected.complete(null);
      } else if (cursor.find()) {
        pushed.accept(Long.parseLong(cursor.group(1)));
      }
      frame.setLength(0);
    }
    socket.request(1);
    return null;
  }

  @Override
  public void onError(WebSocket socket, Throwable error) {
    connected.completeExceptionally(error);
  }
}
