package dev.sluice.broker;

import dev.sluice.broker.BrokerStartException.Reason;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.server.ServerSocketFactory;

/**
 * The broker's listening sockets, bound before Kafka starts: a port that is taken is known at once,
 * and a free one that was picked can't be lost to somebody else before Kafka opens it.
 */
final class BoundSockets implements ServerSocketFactory, AutoCloseable {
  private static final int BACKLOG = 1_024;

  private final Map<String, ServerSocketChannel> notYetTaken = new ConcurrentHashMap<>();

  /** Binds a listener and returns its port. */
  int bind(String listener, String address, int port) {
    InetSocketAddress wanted = new InetSocketAddress(address, port);
    if (wanted.isUnresolved()) {
      throw new BrokerStartException(
          Reason.ADDRESS_UNUSABLE,
          "The broker's address %s is unknown on this machine".formatted(address),
          null);
    }
    ServerSocketChannel channel = null;
    try {
      channel = ServerSocketChannel.open();
      channel.bind(wanted, BACKLOG);
      notYetTaken.put(listener, channel);
      return ((InetSocketAddress) channel.getLocalAddress()).getPort();
    } catch (IOException e) {
      closeQuietly(channel);
      throw refusal(address, port, e);
    }
  }

  private static BrokerStartException refusal(String address, int port, IOException e) {
    boolean taken =
        e instanceof BindException && e.getMessage() != null && e.getMessage().contains("in use");
    return taken
        ? new BrokerStartException(
            Reason.PORT_TAKEN,
            "Port %d on %s is taken by another program".formatted(port, address),
            e)
        : new BrokerStartException(
            Reason.ADDRESS_UNUSABLE,
            "The broker can't listen on %s:%d: %s".formatted(address, port, e.getMessage()),
            e);
  }

  @Override
  public ServerSocketChannel openServerSocket(
      String listenerName, InetSocketAddress address, int backlog, int receiveBufferSize)
      throws IOException {
    ServerSocketChannel bound = notYetTaken.remove(listenerName);
    if (bound == null) {
      throw new IOException("No socket was bound for the listener " + listenerName);
    }
    bound.configureBlocking(false);
    return bound;
  }

  /** Closes what Kafka hasn't taken over. */
  @Override
  public void close() {
    notYetTaken.values().forEach(BoundSockets::closeQuietly);
    notYetTaken.clear();
  }

  @SuppressWarnings("EmptyCatch")
  private static void closeQuietly(ServerSocketChannel channel) {
    if (channel == null) {
      return;
    }
    try {
      channel.close();
    } catch (IOException ignored) {
      // It never accepted a connection; there is nothing to lose.
    }
  }
}
