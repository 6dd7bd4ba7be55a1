package dev.sluice.bench.push;

import dev.sluice.identity.AdminRule;
import dev.sluice.notifier.connection.ConnectionLimits;
import dev.sluice.notifier.connection.ConnectionServices;
import dev.sluice.notifier.connection.Handshake;
import dev.sluice.notifier.connection.StompConnection;
import dev.sluice.notifier.connection.Wire;
import dev.sluice.notifier.stomp.Encoded;
import jakarta.servlet.ServletContext;
import jakarta.websocket.CloseReason;
import jakarta.websocket.CloseReason.CloseCodes;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.MessageHandler;
import jakarta.websocket.PongMessage;
import jakarta.websocket.Session;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpointConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/**
 * Sluice's connections on the WebSocket of Jakarta EE as Tomcat has it, sending with a callback.
 */
final class TomcatEndpoint extends Endpoint {
  private final ConnectionServices services;
  private final ConnectionLimits limits;
  private StompConnection connection;

  private TomcatEndpoint(ConnectionServices services, ConnectionLimits limits) {
    this.services = services;
    this.limits = limits;
  }

  static void addTo(ServletContext context, ConnectionServices services, ConnectionLimits limits) {
    ServerContainer container =
        (ServerContainer) context.getAttribute(ServerContainer.class.getName());
    try {
      container.addEndpoint(
          ServerEndpointConfig.Builder.create(TomcatEndpoint.class, StompConnection.PATH)
              .subprotocols(List.of("v12.stomp"))
              .configurator(
                  new ServerEndpointConfig.Configurator() {
                    @Override
                    public <T> T getEndpointInstance(Class<T> type) {
                      return type.cast(new TomcatEndpoint(services, limits));
                    }
                  })
              .build());
    } catch (DeploymentException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void onOpen(Session session, EndpointConfig config) {
    connection =
        new StompConnection(
            session.getId(),
            new TomcatWire(session),
            new Handshake(null, new AdminRule.Call("127.0.0.1", Set.of(), null, null, null)),
            services,
            limits);
    services.connections().add(connection);
    session.setMaxTextMessageBufferSize(limits.frameBytes());
    session.setMaxIdleTimeout(0);
    session.addMessageHandler(String.class, (MessageHandler.Whole<String>) connection::received);
    session.addMessageHandler(
        PongMessage.class, (MessageHandler.Whole<PongMessage>) pong -> connection.heard());
  }

  @Override
  public void onClose(Session session, CloseReason reason) {
    connection.ended();
  }

  private record TomcatWire(Session session) implements Wire {
    /** One after the other: Tomcat refuses a message while another is being sent. */
    @Override
    public void send(List<Encoded> messages, Sent sent) {
      try {
        sendFirst(messages, sent);
      } catch (IllegalStateException e) {
        sent.failed(e);
      }
    }

    private void sendFirst(List<Encoded> messages, Sent sent) {
      session
          .getAsyncRemote()
          .sendText(
              messages.get(0).toString(),
              result -> {
                if (!result.isOK()) {
                  sent.failed(result.getException());
                } else if (messages.size() == 1) {
                  sent.succeeded();
                } else {
                  send(messages.subList(1, messages.size()), sent);
                }
              });
    }

    @Override
    public void ping() {
      try {
        session.getAsyncRemote().sendPing(ByteBuffer.allocate(0));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close(int code, String reason) {
      try {
        session.close(new CloseReason(CloseCodes.getCloseCode(code), reason));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void drop() {
      close(CloseCodes.GOING_AWAY.getCode(), "");
    }
  }
}
