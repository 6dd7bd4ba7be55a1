package dev.sluice.bench.process;

import dev.sluice.bench.http.HttpLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

/** Waits for a server that starts. */
public final class FirstAnswer {
  private static final Duration PAUSE = Duration.ofMillis(5);

  private FirstAnswer() {}

  /**
   * Sends {@code request} again and again, 5 ms after each failure, until it is answered with 200,
   * 201 or 202.
   *
   * @return the body
   * @throws IllegalStateException with the process's last words, if it ends or takes longer
   */
  public static byte[] await(
      ChildProcess process, InetSocketAddress server, byte[] request, Duration atMost)
      throws IOException {
    long deadline = System.nanoTime() + atMost.toNanos();
    byte[][] answer = new byte[1][];
    try (HttpLoop loop = new HttpLoop(server, 1)) {
      Runnable[] ask = new Runnable[1];
      ask[0] =
          () ->
              loop.send(
                  request,
                  new HttpLoop.Callback() {
                    @Override
                    public void answered(int status, byte[] body) {
                      if (status == 200 || status == 201 || status == 202) {
                        answer[0] = body;
                      } else {
                        loop.after(PAUSE, ask[0]);
                      }
                    }

                    @Override
                    public void failed(IOException cause) {
                      loop.after(PAUSE, ask[0]);
                    }
                  });
      ask[0].run();
      loop.run(() -> answer[0] != null || !process.isAlive() || System.nanoTime() - deadline > 0);
    }
    if (answer[0] == null) {
      throw new IllegalStateException(
          process
              + (process.isAlive()
                  ? " did not answer within " + atMost.toSeconds() + " s"
                  : " ended")
              + "; it said:\n"
              + process.lastWords());
    }
    return answer[0];
  }
}
