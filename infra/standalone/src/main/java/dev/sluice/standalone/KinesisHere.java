package dev.sluice.standalone;

import dev.sluice.identity.Sessions;
import dev.sluice.kinesis.KinesisEndpoint;
import dev.sluice.kinesis.KinesisSettings;
import dev.sluice.kinesis.http.HttpSettings;
import dev.sluice.kinesis.http.HttpSettings.Tls;
import dev.sluice.kinesis.shard.Account;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.io.IOException;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The Kinesis endpoint of this process. Thread-safe. */
final class KinesisHere implements AutoCloseable {
  private final SluiceProperties.Kinesis told;
  private final CompositeMeterRegistry meters = new CompositeMeterRegistry();
  private final KinesisEndpoint endpoint;

  /**
   * Listens to nothing yet.
   *
   * @throws StartRefusal when the certificate can't be used
   */
  KinesisHere(SluiceProperties properties, KinesisSettings settings) {
    told = properties.kinesis();
    try {
      endpoint = new KinesisEndpoint(settings, Clock.systemUTC(), meters);
    } catch (IllegalArgumentException e) {
      throw new StartRefusal("sluice.kinesis: " + e.getMessage(), e);
    }
  }

  /**
   * @param kafka client settings
   * @throws StartRefusal when the properties can't be used
   */
  static KinesisSettings settings(
      SluiceProperties properties, Map<String, Object> kafka, Secrets secrets) {
    SluiceProperties.Kinesis told = properties.kinesis();
    try {
      return new KinesisSettings(
          http(told),
          new Account(told.region(), told.account()),
          kafka,
          properties.topicPrefix(),
          properties.replication(),
          secrets.iteratorKey(),
          new Sessions(secrets.secret()),
          told.topics(),
          told.throttle());
    } catch (IllegalArgumentException e) {
      throw new StartRefusal("sluice.kinesis: " + e.getMessage(), e);
    }
  }

  private static HttpSettings http(SluiceProperties.Kinesis told) {
    if ((told.certificate() == null) != (told.certificateKey() == null)) {
      throw new StartRefusal(
          "sluice.kinesis.certificate and sluice.kinesis.certificate-key go together");
    }
    if (told.accessKeys().isEmpty()
        && !Exposure.of(Map.of("sluice.kinesis.address", told.address())).isLoopbackOnly()) {
      throw new StartRefusal(
          "sluice.kinesis.address is %s, which others can reach: set SLUICE_KINESIS_ACCESS_KEYS"
                  .formatted(told.address())
              + " (ID:SECRET, separated by commas), or bind 127.0.0.1");
    }
    HttpSettings http =
        HttpSettings.local(told.port()).withKeys(told.address(), keys(told.accessKeys()));
    return told.certificate() == null
        ? http
        : http.withTls(new Tls(told.certificate(), told.certificateKey()));
  }

  private static Map<String, String> keys(List<String> pairs) {
    Map<String, String> keys = new HashMap<>();
    for (String pair : pairs) {
      int colon = pair.indexOf(':');
      if (colon < 1 || colon == pair.length() - 1) {
        throw new StartRefusal("sluice.kinesis.access-keys must be ID:SECRET, separated by commas");
      }
      keys.put(pair.substring(0, colon).strip(), pair.substring(colon + 1).strip());
    }
    return keys;
  }

  /**
   * Begins to listen.
   *
   * @throws StartRefusal when it can't
   */
  void start() {
    try {
      endpoint.start();
    } catch (IOException e) {
      throw new StartRefusal(
          "The Kinesis endpoint can't listen at %s:%d (%s): set SLUICE_KINESIS_PORT to another one"
              .formatted(told.address(), told.port(), e.getMessage()),
          e);
    }
  }

  /** Returns once it knows its streams. */
  void awaitReady() {
    endpoint.ready().join();
  }

  /** Has {@code registry} take its figures from now on. */
  void reportTo(MeterRegistry registry) {
    meters.add(registry);
  }

  int port() {
    return endpoint.port();
  }

  @Override
  public void close() {
    endpoint.close();
  }

  /** Where it is reached. */
  @Override
  public String toString() {
    return "%s://%s:%d, region %s"
        .formatted(
            told.certificate() == null ? "http" : "https",
            told.address(),
            endpoint.port(),
            told.region());
  }
}
