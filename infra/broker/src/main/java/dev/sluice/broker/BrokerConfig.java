package dev.sluice.broker;

import java.nio.file.Path;
import java.util.Objects;

/**
 * Where an embedded broker listens and keeps its data.
 *
 * @param address the address to bind, which is also the one told to clients
 * @param port 0 to 65535; 0 picks a free one
 * @param directory made and formatted when missing; belongs to one broker at a time
 */
public record BrokerConfig(String address, int port, Path directory) {
  private static final String LOOPBACK = "127.0.0.1";

  public BrokerConfig {
    Objects.requireNonNull(directory, "directory");
    if (address == null || address.isBlank()) {
      throw new IllegalArgumentException("The broker needs an address to listen on");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("The broker's port must be 0 to 65535, not " + port);
    }
  }

  /** A broker on a free loopback port. */
  public static BrokerConfig local(Path directory) {
    return local(directory, 0);
  }

  /** A broker on a loopback port. */
  public static BrokerConfig local(Path directory, int port) {
    return new BrokerConfig(LOOPBACK, port, directory);
  }
}
