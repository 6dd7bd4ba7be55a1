package dev.sluice.bench.hot;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Hears on {@code /topic/hot} which rooms become hot and cool, and when. Thread-safe. */
final class StompWatch implements AutoCloseable {
  private static final JsonFactory JSON = new JsonFactory();

  private final Map<String, Long> hotAtNanos = new ConcurrentHashMap<>();
  private final Map<String, Long> cooledAtNanos = new ConcurrentHashMap<>();
  private final CompletableFuture<Void> connected = new CompletableFuture<>();
  private final WebSocket socket;

  StompWatch(InetSocketAddress server) throws Exception {
    URI uri = URI.create("ws://127.0.0.1:" + server.getPort() + "/ws");
    socket =
        HttpClient.newHttpClient()
            .newWebSocketBuilder()
            .buildAsync(uri, new Listener())
            .get(10, TimeUnit.SECONDS);
    send("CONNECT\naccept-version:1.2\nheart-beat:0,0\nhost:sluice\n\n");
    connected.get(10, TimeUnit.SECONDS);
    send("SUBSCRIBE\nid:hot\ndestination:/topic/hot\n\n");
  }

  private void send(String frame) throws Exception {
    socket.sendText(frame + "\0", true).get(10, TimeUnit.SECONDS);
  }

  /** When the room was first heard to be hot, by {@link System#nanoTime}; null if it wasn't. */
  Long hotAt(String room) {
    return hotAtNanos.get(room);
  }

  /** When the room was last heard to have cooled; null if it wasn't. */
  Long cooledAt(String room) {
    return cooledAtNanos.get(room);
  }

  @Override
  public void close() {
    socket.abort();
  }

  private final class Listener implements WebSocket.Listener {
    private final StringBuilder frame = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence text, boolean last) {
      frame.append(text);
      if (last) {
        heard(frame.toString(), System.nanoTime());
        frame.setLength(0);
      }
      from.request(1);
      return null;
    }
  }

  private void heard(String frame, long now) {
    if (frame.startsWith("CONNECTED")) {
      connected.complete(null);
      return;
    }
    int body = frame.indexOf("\n\n");
    if (!frame.startsWith("MESSAGE") || body < 0) {
      return;
    }
    String room = null;
    String status = null;
    try (JsonParser json = JSON.createParser(frame.substring(body + 2, frame.indexOf('\0')))) {
      while (json.nextToken() != null) {
        if (json.currentToken() == JsonToken.VALUE_STRING) {
          if ("roomId".equals(json.currentName())) {
            room = json.getText();
          } else if ("status".equals(json.currentName())) {
            status = json.getText();
          }
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("not JSON: " + frame, e);
    }
    if ("HOT".equals(status)) {
      hotAtNanos.putIfAbsent(room, now);
    } else if ("COOLED".equals(status)) {
      cooledAtNanos.put(room, now);
    }
  }
}
