package dev.sluice.notifier;

import dev.sluice.identity.AdminRule;
import dev.sluice.identity.PassKey;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Session;
import dev.sluice.identity.Sessions;
import dev.sluice.notifier.connection.OriginRule;
import dev.sluice.notifier.jetty.StompServlet;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.ee11.websocket.server.config.JettyWebSocketServletContainerInitializer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.util.unit.DataSize;

/** A notifier on a Jetty of its own, on a free port of 127.0.0.1. */
final class NotifierServer implements AutoCloseable {
  final Notifier notifier;
  final Sessions sessions = new Sessions("a secret of tests");
  final Passes passes = new Passes(PassKey.generate());
  private final Server server = new Server();
  private final ServerConnector connector = new ServerConnector(server, 1, 1);

  NotifierServer(FakeRooms rooms, PushSettings settings) throws Exception {
    this(rooms, new FakeFeeds(), new AdminRule(null), settings);
  }

  NotifierServer(FakeRooms rooms, FakeFeeds feeds, AdminRule admins, PushSettings settings)
      throws Exception {
    notifier =
        new Notifier(
            settings,
            rooms,
            rooms,
            feeds.sources(),
            sessions,
            passes,
            admins,
            Clock.systemUTC(),
            System::nanoTime);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    ServletContextHandler context = new ServletContextHandler("/");
    JettyWebSocketServletContainerInitializer.configure(context, null);
    context.addServlet(
        new ServletHolder(
            new StompServlet(
                notifier.services(), settings.limits(), new OriginRule(settings.allowedOrigins()))),
        "/ws");
    server.setHandler(context);
    server.start();
    notifier.start();
  }

  int port() {
    return connector.getLocalPort();
  }

  Session session() {
    return sessions.issue();
  }

  @Override
  public void close() throws Exception {
    notifier.close();
    server.stop();
  }

  /** Settings of tests, with short periods. */
  static PushSettings settings() {
    return new PushSettings(
        100,
        1_000,
        32,
        DataSize.ofKilobytes(4),
        DataSize.ofKilobytes(16),
        // So that a client that doesn't read is felt after a few frames rather than megabytes.
        DataSize.ofKilobytes(16),
        64,
        Duration.ofSeconds(10),
        Duration.ofSeconds(20),
        Duration.ofSeconds(50),
        Duration.ofSeconds(30),
        Duration.ofSeconds(1),
        Duration.ofMillis(10),
        Duration.ofMillis(200),
        Duration.ofMillis(50),
        Duration.ofMillis(5),
        Duration.ofMillis(500),
        List.of());
  }

  static PushSettings withAcceptRate(int perSecond) {
    PushSettings s = settings();
    return new PushSettings(
        s.maxConnections(),
        perSecond,
        s.maxSubscriptions(),
        s.maxFrame(),
        s.maxOutbox(),
        s.sendBuffer(),
        s.maxMustDeliver(),
        s.connectWithin(),
        s.heartbeat(),
        s.silence(),
        s.sendWithin(),
        s.closeWithin(),
        s.rankPeriod(),
        s.rankSync(),
        s.statsPeriod(),
        s.coalesce(),
        s.leaveWindow(),
        s.allowedOrigins());
  }

  static PushSettings withConnections(int max) {
    PushSettings s = settings();
    return new PushSettings(
        max,
        s.acceptRate(),
        s.maxSubscriptions(),
        s.maxFrame(),
        s.maxOutbox(),
        s.sendBuffer(),
        s.maxMustDeliver(),
        s.connectWithin(),
        s.heartbeat(),
        s.silence(),
        s.sendWithin(),
        s.closeWithin(),
        s.rankPeriod(),
        s.rankSync(),
        s.statsPeriod(),
        s.coalesce(),
        s.leaveWindow(),
        s.allowedOrigins());
  }

  static PushSettings withTimes(Duration connectWithin, Duration heartbeat, Duration silence) {
    PushSettings s = settings();
    return new PushSettings(
        s.maxConnections(),
        s.acceptRate(),
        s.maxSubscriptions(),
        s.maxFrame(),
        s.maxOutbox(),
        s.sendBuffer(),
        s.maxMustDeliver(),
        connectWithin,
        heartbeat,
        silence,
        s.sendWithin(),
        s.closeWithin(),
        s.rankPeriod(),
        s.rankSync(),
        s.statsPeriod(),
        s.coalesce(),
        s.leaveWindow(),
        s.allowedOrigins());
  }
}
