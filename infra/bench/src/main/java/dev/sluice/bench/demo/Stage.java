package dev.sluice.bench.demo;

import dev.sluice.bench.Blocking;
import dev.sluice.bench.Installation;
import dev.sluice.bench.SluiceApi;
import dev.sluice.bench.process.SluiceProcess;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * The Sluice that a demonstration runs against: the one that is named, the usual one if it answers,
 * else one of its own, which ends with it.
 */
final class Stage implements AutoCloseable {
  static final String DEFAULT_URL = "http://127.0.0.1:8080";

  private static final Duration START_AT_MOST = Duration.ofMinutes(3);

  private final InetSocketAddress server;
  private final SluiceProcess own;
  private final Installation.Scratch scratch;

  private Stage(InetSocketAddress server, SluiceProcess own, Installation.Scratch scratch) {
    this.server = server;
    this.own = own;
    this.scratch = scratch;
  }

  /**
   * Finds one, and says which.
   *
   * @param url null: the usual one, or one of its own
   * @throws DemoFailure if there is none at {@code url}
   * @throws IllegalStateException if one of its own doesn't start
   */
  static Stage find(String url, PrintStream out) throws IOException {
    InetSocketAddress server = SluiceApi.addressOf(url == null ? DEFAULT_URL : url);
    if (isSluice(server)) {
      out.println("Using the Sluice at " + (url == null ? DEFAULT_URL : url) + ".");
      return new Stage(server, null, null);
    }
    if (url != null) {
      throw new DemoFailure("No Sluice answers at " + url + ".");
    }
    out.println("No Sluice answers at " + DEFAULT_URL + "; starting one.");
    Installation.Scratch scratch = Installation.scratch("sluice-demo");
    SluiceProcess.Settings settings =
        SluiceProcess.Settings.fresh(
            Installation.sluiceJar(), Installation.javaOptions(), List.of(), scratch.directory());
    Stage stage = new Stage(settings.address(), SluiceProcess.start(settings), scratch);
    try {
      stage.own.awaitReady(START_AT_MOST);
    } catch (RuntimeException | IOException e) {
      stage.close();
      throw e;
    }
    out.println("It is ready at http://127.0.0.1:" + settings.httpPort() + ".");
    return stage;
  }

  private static boolean isSluice(InetSocketAddress server) {
    try {
      return Blocking.call(server, new SluiceApi(server, null).keys()).isGood();
    } catch (IOException e) {
      return false;
    }
  }

  InetSocketAddress server() {
    return server;
  }

  /** Whether it is one of our own and has ended. */
  boolean hasEnded() {
    return own != null && !own.process().isAlive();
  }

  /** What one of our own last said. */
  String lastWords() {
    return own.process().lastWords();
  }

  @Override
  public void close() throws IOException {
    if (own != null) {
      own.close();
      scratch.close();
    }
  }
}
