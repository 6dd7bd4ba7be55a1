package dev.sluice.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

/** A {@code redis-server} of our own that keeps nothing on disk; killed and started again. */
final class RedisProcess implements AutoCloseable {
  private final Path directory;
  private final List<String> options;
  private final int port = freePort();
  private Process process;

  /** Starts one and waits until it answers. */
  RedisProcess(Path directory, String... options) {
    this.directory = directory;
    this.options = List.of(options);
    start();
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void start() {
    List<String> command = new ArrayList<>(List.of("redis-server", "--port", "" + port));
    command.addAll(List.of("--bind", "127.0.0.1", "--save", "", "--appendonly", "no"));
    command.addAll(List.of("--dir", directory.toString()));
    command.addAll(options);
    try {
      process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve("log").toFile()))
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Awaitility.await().atMost(Duration.ofSeconds(20)).until(this::answers);
  }

  private boolean answers() {
    try (Jedis jedis = new Jedis("127.0.0.1", port)) {
      return jedis.getClient().ping();
    } catch (JedisException e) {
      return e.getMessage().startsWith("NOAUTH");
    }
  }

  /** As {@code kill -9}. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** As {@code kill -SIGNAL}. */
  void signal(String signal) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
  }

  RedisAddress address() {
    return RedisAddress.parse("redis://127.0.0.1:" + port);
  }

  int port() {
    return port;
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
