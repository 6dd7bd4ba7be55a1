package dev.sluice.bench.redisway;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;

/** The Lua script that is a whole waiting room, and the connections to run it on. Thread-safe. */
final class WaitingRoomScript implements AutoCloseable {
  private final JedisPool pool;
  private final String sha;
  private final int capacity;
  private final Duration stay;

  /**
   * How a person stands.
   *
   * @param status {@code WAITING}, {@code ADMITTED} or {@code NOT_YOURS}; with the last the rest is
   *     0
   * @param expiresAt end of an admitted person's stay, milliseconds since the epoch; else 0
   */
  record Standing(String status, long ticket, long rank, long waiting, long expiresAt) {}

  /**
   * @param connections in the pool, at most; a caller beyond them waits for one
   */
  WaitingRoomScript(int port, int connections, int capacity, Duration stay) {
    JedisPoolConfig config = new JedisPoolConfig();
    config.setMaxTotal(connections);
    config.setMaxIdle(connections);
    config.setJmxEnabled(false);
    this.pool = new JedisPool(config, "127.0.0.1", port);
    this.capacity = capacity;
    this.stay = stay;
    try (Jedis jedis = pool.getResource()) {
      this.sha = jedis.scriptLoad(script());
    }
  }

  /** Enters {@code person}, or says how they stand; blocks for a round trip. */
  Standing enter(String room, String person, String session, long now) {
    try (Jedis jedis = pool.getResource()) {
      Object answer =
          jedis.evalsha(
              sha,
              List.of(room + ":ticket", room + ":people", room + ":waiting", room + ":admitted"),
              List.of(
                  person,
                  session,
                  String.valueOf(now),
                  String.valueOf(stay.toMillis()),
                  String.valueOf(capacity)));
      List<?> parts = (List<?>) answer;
      String status = (String) parts.get(0);
      if (parts.size() == 1) {
        return new Standing(status, 0, 0, 0, 0);
      }
      return new Standing(
          status,
          (Long) parts.get(1),
          (Long) parts.get(2),
          (Long) parts.get(3),
          (Long) parts.get(4));
    }
  }

  @Override
  public void close() {
    pool.close();
  }

  private static String script() {
    try (InputStream in = WaitingRoomScript.class.getResourceAsStream("waiting-room.lua")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
