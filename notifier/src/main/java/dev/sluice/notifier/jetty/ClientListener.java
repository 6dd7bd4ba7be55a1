package dev.sluice.notifier.jetty;

import dev.sluice.notifier.connection.ConnectionLimits;
import dev.sluice.notifier.connection.ConnectionServices;
import dev.sluice.notifier.connection.Handshake;
import dev.sluice.notifier.connection.StompConnection;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes what Jetty hears from one client on to its connection. Pings are left to Jetty, which
 * answers each before it reads on.
 */
public final class ClientListener implements Session.Listener.AutoDemanding {
  private static final Logger LOG = LoggerFactory.getLogger(ClientListener.class);
  private static final AtomicLong CONNECTIONS = new AtomicLong();

  private final Handshake handshake;
  private final ConnectionServices services;
  private final ConnectionLimits limits;
  private StompConnection connection;

  ClientListener(Handshake handshake, ConnectionServices services, ConnectionLimits limits) {
    this.handshake = handshake;
    this.services = services;
    this.limits = limits;
  }

  @Override
  public void onWebSocketOpen(Session session) {
    connection =
        new StompConnection(
            "c" + CONNECTIONS.incrementAndGet(),
            new JettyWire(session),
            handshake,
            services,
            limits);
    services.connections().add(connection);
  }

  @Override
  public void onWebSocketText(String message) {
    connection.received(message);
  }

  @Override
  public void onWebSocketBinary(ByteBuffer payload, Callback callback) {
    byte[] bytes = new byte[payload.remaining()];
    payload.get(bytes);
    callback.succeed();
    connection.received(bytes);
  }

  @Override
  public void onWebSocketPong(ByteBuffer payload) {
    connection.heard();
  }

  @Override
  public void onWebSocketError(Throwable cause) {
    LOG.debug("{} failed", connection, cause);
  }

  @Override
  public void onWebSocketClose(int statusCode, String reason, Callback callback) {
    if (connection != null) {
      connection.ended();
    }
    callback.succeed();
  }
}
