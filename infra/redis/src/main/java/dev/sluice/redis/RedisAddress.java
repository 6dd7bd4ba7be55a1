package dev.sluice.redis;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import redis.clients.jedis.HostAndPort;
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

  /** The one that says who we are. */
  URI first() {
    return nodes.get(0);
  }

  List<HostAndPort> hosts() {
    return nodes.stream().map(JedisURIHelper::getHostAndPort).toList();
  }

  /** Hosts and ports alone. */
  @Override
  public String toString() {
    return hosts().stream().map(HostAndPort::toString).collect(Collectors.joining(","));
  }
}
