package dev.sluice.kinesis.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * How the endpoint is reached, and how much it bears.
 *
 * @param port 0 for any
 * @param tls the certificate to present; null for clear text
 * @param keys the secret of each access key; if there are any, each request must be signed with one
 * @param concurrentRequests how many are served at a time; more are told to come again
 * @param subscriptions how many there are at a time
 * @param connections how many there are at a time; more wait to be accepted
 * @param bufferedBytes how much of large requests' bodies is held at a time, all together, and as
 *     much again of answers with records
 * @param idle after which a silent connection is closed
 * @param body how long the body of a request may take
 */
public record HttpSettings(
    String host,
    int port,
    Tls tls,
    Map<String, String> keys,
    int concurrentRequests,
    int subscriptions,
    int connections,
    long bufferedBytes,
    Duration idle,
    Duration body) {

  /**
   * Files in PEM.
   *
   * @param certificate the chain, the server's own first
   * @param key of the first, in PKCS #8, not encrypted
   */
  public record Tls(Path certificate, Path key) {}

  /**
   * @throws IllegalArgumentException if others than this machine could call without a signature
   */
  public HttpSettings {
    keys = Map.copyOf(keys);
    if (keys.isEmpty() && !isLoopback(host)) {
      throw new IllegalArgumentException(
          "without keys to verify signatures the endpoint listens on loopback only, not on "
              + host);
    }
  }

  /** On loopback, in clear text, for whoever is there. */
  public static HttpSettings local(int port) {
    return new HttpSettings(
        "127.0.0.1",
        port,
        null,
        Map.of(),
        1024,
        2048,
        8192,
        Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 8),
        Duration.ofSeconds(30),
        Duration.ofSeconds(60));
  }

  /** The same with a certificate. */
  public HttpSettings withTls(Tls tls) {
    return with(host, tls, keys);
  }

  /** The same for those who have a key. */
  public HttpSettings withKeys(String host, Map<String, String> keys) {
    return with(host, tls, keys);
  }

  private HttpSettings with(String host, Tls tls, Map<String, String> keys) {
    return new HttpSettings(
        host,
        port,
        tls,
        keys,
        concurrentRequests,
        subscriptions,
        connections,
        bufferedBytes,
        idle,
        body);
  }

  private static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("there is no host " + host, e);
    }
  }

  /** Without the secrets. */
  @Override
  public String toString() {
    return (tls == null ? "http://" : "https://") + host + ":" + port + ", " + keys.keySet();
  }
}
