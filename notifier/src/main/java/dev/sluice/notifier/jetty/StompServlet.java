package dev.sluice.notifier.jetty;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.sluice.identity.AdminRule;
import dev.sluice.notifier.connection.ConnectionLimits;
import dev.sluice.notifier.connection.ConnectionServices;
import dev.sluice.notifier.connection.Handshake;
import dev.sluice.notifier.connection.OriginRule;
import dev.sluice.notifier.connection.Problem;
import dev.sluice.notifier.connection.Refusal;
import dev.sluice.notifier.connection.StompConnection;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.ee11.websocket.server.JettyServerUpgradeRequest;
import org.eclipse.jetty.ee11.websocket.server.JettyServerUpgradeResponse;
import org.eclipse.jetty.ee11.websocket.server.JettyWebSocketServlet;
import org.eclipse.jetty.ee11.websocket.server.JettyWebSocketServletFactory;

/**
 * The handshake at {@code /ws}: judges where it comes from and whether there is room, then hands
 * the socket over. Extensions are declined: compression would cost a deflater in native memory for
 * each client.
 */
public final class StompServlet extends JettyWebSocketServlet {
  private static final long serialVersionUID = 1L;
  private static final String SUBPROTOCOL = "v12.stomp";
  private static final String COOKIE = "SLUICE_SESSION";
  private static final String VERSION = "13";

  /** Beyond a STOMP frame's own limit, so that what is a little too long is refused in words. */
  private static final int MESSAGE_ROOM = 4;

  private final transient ConnectionServices services;
  private final transient ConnectionLimits limits;
  private final transient OriginRule origins;

  public StompServlet(ConnectionServices services, ConnectionLimits limits, OriginRule origins) {
    this.services = services;
    this.limits = limits;
    this.origins = origins;
  }

  @Override
  protected void configure(JettyWebSocketServletFactory factory) {
    long longest = (long) limits.frameBytes() * MESSAGE_ROOM;
    factory.setMaxTextMessageSize(longest);
    factory.setMaxBinaryMessageSize(longest);
    factory.setMaxFrameSize(longest);
    // Silence is judged by the connection itself.
    factory.setIdleTimeout(Duration.ZERO);
    factory.setCreator(this::accept);
  }

  private Object accept(JettyServerUpgradeRequest request, JettyServerUpgradeResponse response)
      throws IOException {
    boundSendBuffer(request.getHttpServletRequest());
    response.setExtensions(List.of());
    if (request.hasSubProtocol(SUBPROTOCOL)) {
      response.setAcceptedSubProtocol(SUBPROTOCOL);
    }
    return new ClientListener(handshake(request.getHttpServletRequest()), services, limits);
  }

  /** Else the system keeps megabytes for a client that doesn't read, beyond all that is counted. */
  private void boundSendBuffer(HttpServletRequest request) throws IOException {
    Object transport =
        ServletContextRequest.getServletContextRequest(request)
            .getConnectionMetaData()
            .getConnection()
            .getEndPoint()
            .getTransport();
    if (transport instanceof SocketChannel socket) {
      socket.setOption(StandardSocketOptions.SO_SNDBUF, limits.sendBufferBytes());
    }
  }

  private static Handshake handshake(HttpServletRequest request) {
    return new Handshake(
        sessionCookie(request),
        new AdminRule.Call(
            request.getRemoteAddr(),
            new HashSet<>(Collections.list(request.getHeaderNames())),
            request.getHeader("Authorization"),
            request.getHeader("Host"),
            origin(request)));
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws ServletException, IOException {
    if (!isHandshake(request)) {
      response.setHeader("Upgrade", "websocket");
      response.setHeader("Sec-WebSocket-Version", VERSION);
      refuse(response, new Problem(426, "Upgrade Required", "This is for WebSocket connections."));
      return;
    }
    Optional<Refusal> refusal =
        origins.allows(origin(request), request.getHeader("Host"))
            ? services.connections().admit()
            : Optional.of(Refusal.ORIGIN);
    if (refusal.isEmpty()) {
      super.service(request, response);
    } else {
      services.counters().countRefused(refusal.get());
      if (refusal.get().retryAfter() > 0) {
        response.setIntHeader("Retry-After", refusal.get().retryAfter());
      }
      refuse(response, refusal.get().problem());
    }
  }

  /** Whether it is one that will be shaken, unless it is refused. */
  private static boolean isHandshake(HttpServletRequest request) {
    return request.getMethod().equals("GET")
        && "websocket".equalsIgnoreCase(request.getHeader("Upgrade"))
        && VERSION.equals(request.getHeader("Sec-WebSocket-Version"))
        && request.getHeader("Sec-WebSocket-Key") != null;
  }

  /** Several are none that could be allowed. */
  private static String origin(HttpServletRequest request) {
    List<String> all = Collections.list(request.getHeaders("Origin"));
    return all.isEmpty() ? null : String.join(" ", all);
  }

  private static void refuse(HttpServletResponse response, Problem problem) throws IOException {
    byte[] body = problem.json(StompConnection.PATH).getBytes(US_ASCII);
    response.setStatus(problem.status());
    response.setContentType("application/problem+json");
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  private static String sessionCookie(HttpServletRequest request) {
    Cookie[] cookies = request.getCookies();
    if (cookies != null) {
      for (Cookie cookie : cookies) {
        if (cookie.getName().equals(COOKIE)) {
          return cookie.getValue();
        }
      }
    }
    return null;
  }
}
