package dev.sluice.bench.process;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** A {@code redis-server} of our own on a free port, without snapshots. */
public final class RedisProcess implements AutoCloseable {
  private static final int START_MILLIS = 10_000;

  private final ChildProcess process;
  private final int port;

  private RedisProcess(ChildProcess process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts one and waits until it answers.
   *
   * @param directory for its log and files
   * @param appendOnly whether it logs each change to disk, synced once a second
   * @throws IllegalStateException if it doesn't start
   */
  public static RedisProcess start(Path directory, boolean appendOnly) throws InterruptedException {
    int port = FreePorts.next();
    ChildProcess process =
        ChildProcess.start(
            "redis-server",
            List.of(
                "redis-server",
                "--port",
                String.valueOf(port),
                "--bind",
                "127.0.0.1",
                "--save",
                "",
                "--appendonly",
                appendOnly ? "yes" : "no",
                "--dir",
                directory.toString()),
            Map.of(),
            directory.resolve("redis.log"));
    RedisProcess redis = new RedisProcess(process, port);
    long deadline = System.currentTimeMillis() + START_MILLIS;
    while (System.currentTimeMillis() < deadline && process.isAlive()) {
      try (Jedis jedis = new Jedis("127.0.0.1", port)) {
        jedis.ping();
        return redis;
      } catch (JedisConnectionException e) {
        Thread.sleep(20);
      }
    }
    String words = process.lastWords();
    process.close();
    throw new IllegalStateException("redis-server did not start:\n" + words);
  }

  public int port() {
    return port;
  }

  public ChildProcess process() {
    return process;
  }

  @Override
  public void close() {
    process.close();
  }
}
