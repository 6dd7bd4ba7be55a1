package dev.sluice.redis;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.util.JedisURIHelper;

/**
 * Where Redis is, as an operator writes it: {@code redis://user:password@host:6379/0}, {@code
 * rediss://...} over TLS, or several of them, separated by commas, for a cluster. Its text names no
 * password.
 */
public final class RedisAddress {
  private final List<URI> nodes;

  private RedisAddress(List<URI> nodes) {
    this.nodes = nodes;
  }

  /**
   * @throws IllegalArgumentException if it is none; the message doesn't repeat it
   */
  public static RedisAddress parse(String text) {
    List<URI> nodes = new ArrayList<>();
    for (String node : text.split(",")) {
      nodes.add(node(node.strip()));
    }
    return new RedisAddress(List.copyOf(nodes));
  }

  private static URI node(String text) {
    try {
      URI uri = new URI(text);
      boolean isRedis =
          uri.getScheme() != null
              && (JedisURIHelper.isRedisScheme(uri) || JedisURIHelper.isRedisSSLScheme(uri));
      if (isRedis && JedisURIHelper.isValid(uri)) {
        JedisURIHelper.getDBIndex(uri);
        return uri;
      }
    } catch (URISyntaxException | NumberFormatException e) {
      // Its message would repeat the text, and with it a password.
    }
    throw new IllegalArgumentException(
        "must be redis://host:port, with user:password@ before the host where needed and commas"
            + " between the nodes of a cluster");
  }

  boolean isCluster() {
    return nodes.size() > 1;
  }

  List<HostAndPort> hosts() {
    return nodes.stream().map(JedisURIHelper::getHostAndPort).toList();
  }

  /**
   * How to connect to any of the nodes.
   *
   * @param patience for connecting, and for each answer
   */
  JedisClientConfig client(Duration patience) {
    int millis = (int) patience.toMillis();
    URI first = nodes.get(0);
    return DefaultJedisClientConfig.builder()
        .connectionTimeoutMillis(millis)
        .socketTimeoutMillis(millis)
        .blockingSocketTimeoutMillis(millis)
        .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
        .clientName("sluice")
        .user(JedisURIHelper.getUser(first))
        .password(JedisURIHelper.getPassword(first))
        .ssl(JedisURIHelper.isRedisSSLScheme(first))
        .database(isCluster() ? 0 : JedisURIHelper.getDBIndex(first))
        .build();
  }

  /** Hosts and ports alone. */
  @Override
  public String toString() {
    return hosts().stream().map(HostAndPort::toString).collect(Collectors.joining(","));
  }
}
