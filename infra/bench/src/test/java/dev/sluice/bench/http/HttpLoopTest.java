package dev.sluice.bench.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpLoopTest {
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newFixedThreadPool(4));
    server.createContext(
        "/echo",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(202, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.createContext(
        "/chunked",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          for (int i = 0; i < 3; i++) {
            exchange.getResponseBody().write("x".repeat(5_000).getBytes(UTF_8));
            exchange.getResponseBody().flush();
          }
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void everyRequestGetsItsOwnAnswerOverFewConnections() throws IOException {
    List<String> answers = new ArrayList<>();
    try (HttpLoop loop = new HttpLoop(server.getAddress(), 3)) {
      for (int i = 0; i < 200; i++) {
        String text = "{\"n\":" + i + "}";
        byte[] request = Request.to(server.getAddress(), "POST", "/echo").json(text).bytes();
        loop.send(request, collect(answers, text));
      }
      loop.run(() -> loop.unanswered() == 0);
    }

    assertThat(answers).hasSize(200).containsOnly("202 as sent");
  }

  @Test
  void readsChunkedBodies() throws IOException {
    List<Integer> lengths = new ArrayList<>();
    try (HttpLoop loop = new HttpLoop(server.getAddress(), 1)) {
      byte[] request = Request.to(server.getAddress(), "GET", "/chunked").bytes();
      for (int i = 0; i < 2; i++) {
        loop.send(
            request,
            new HttpLoop.Callback() {
              @Override
              public void answered(int status, byte[] body) {
                lengths.add(body.length);
              }

              @Override
              public void failed(IOException cause) {
                lengths.add(-1);
              }
            });
      }
      loop.run(() -> loop.unanswered() == 0);
    }

    assertThat(lengths).containsExactly(15_000, 15_000);
  }

  @Test
  void saysSoWhenNobodyListens() throws IOException {
    int port;
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = taken.getLocalPort();
    }
    InetSocketAddress nobody = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    List<String> answers = new ArrayList<>();
    try (HttpLoop loop = new HttpLoop(nobody, 2)) {
      for (int i = 0; i < 5; i++) {
        loop.send(Request.to(nobody, "GET", "/").bytes(), collect(answers, ""));
      }
      loop.run(() -> loop.unanswered() == 0);
    }

    assertThat(answers).hasSize(5).containsOnly("failed");
  }

  @Test
  void saysSoWhenTheServerHangsUpWithoutAnAnswer() throws Exception {
    try (ServerSocket rude = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread thread =
          new Thread(
              () -> {
                try (Socket socket = rude.accept()) {
                  assertThat(socket.getInputStream().read()).isEqualTo('G');
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      thread.start();
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), rude.getLocalPort());
      List<String> answers = new ArrayList<>();
      try (HttpLoop loop = new HttpLoop(address, 1)) {
        loop.send(Request.to(address, "GET", "/").bytes(), collect(answers, ""));
        loop.run(() -> loop.unanswered() == 0);
      }
      thread.join();

      assertThat(answers).containsExactly("failed");
    }
  }

  private static HttpLoop.Callback collect(List<String> answers, String expected) {
    return new HttpLoop.Callback() {
      @Override
      public void answered(int status, byte[] body) {
        String text = new String(body, UTF_8);
        answers.add(status + (text.equals(expected) ? " as sent" : " " + text));
      }

      @Override
      public void failed(IOException cause) {
        answers.add("failed");
      }
    };
  }
}
