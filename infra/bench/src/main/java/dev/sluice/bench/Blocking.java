package dev.sluice.bench;

import dev.sluice.bench.http.HttpLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Single calls, one after another, where nothing is measured. */
public final class Blocking {
  private static final Duration AT_MOST = Duration.ofSeconds(10);

  private Blocking() {}

  /** An answer of any status. */
  public record Answer(int status, String body) {
    public boolean isGood() {
      return status / 100 == 2;
    }
  }

  /**
   * Sends one request and waits.
   *
   * @throws IOException if there is no answer in 10 s
   */
  public static Answer call(InetSocketAddress server, byte[] request) throws IOException {
    Answer[] answer = new Answer[1];
    IOException[] failure = new IOException[1];
    long deadline = System.nanoTime() + AT_MOST.toNanos();
    try (HttpLoop loop = new HttpLoop(server, 1)) {
      loop.send(
          request,
          new HttpLoop.Callback() {
            @Override
            public void answered(int status, byte[] body) {
              answer[0] = new Answer(status, new String(body, StandardCharsets.UTF_8));
            }

            @Override
            public void failed(IOException cause) {
              failure[0] = cause;
            }
          });
      loop.run(() -> answer[0] != null || failure[0] != null || System.nanoTime() - deadline > 0);
    }
    if (failure[0] != null) {
      throw failure[0];
    }
    if (answer[0] == null) {
      throw new IOException("no answer in " + AT_MOST.toSeconds() + " s");
    }
    return answer[0];
  }
}
