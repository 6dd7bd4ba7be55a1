package dev.sluice.notifier;

import dev.sluice.identity.AdminRule;
import dev.sluice.identity.PassKey;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Session;
import dev.sluice.identity.Sessions;
import dev.sluice.notifier.connection.OriginRule;
import dev.sluice.notifier.jetty.StompServlet;
import java.time.Clock;
import java.util.HashMap;
import java.util.Map;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.ee11.websocket.server.config.JettyWebSocketServletContainerInitializer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** A notifier on a Jetty of its own, on a free port of 127.0.0.1. */
final class NotifierServer implements AutoCloseable {
  private static final String PREFIX = "sluice.push.";

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

  /**
   * Settings of tests, with short periods.
   *
   * @param changed as {@code name=value}, without {@code sluice.push.}
   */
  static PushSettings settings(String... changed) {
    Map<String, String> all =
        new HashMap<>(
            Map.of(
                PREFIX + "max-connections", "100",
                PREFIX + "accept-rate", "1000",
                PREFIX + "max-frame", "4KB",
                PREFIX + "max-outbox", "16KB",
                // So that a client that doesn't read is felt after a few frames, not megabytes.
                PREFIX + "send-buffer", "16KB",
                PREFIX + "close-within", "1s",
                PREFIX + "rank-period", "10ms",
                PREFIX + "rank-sync", "200ms",
                PREFIX + "stats-period", "50ms"));
    all.put(PREFIX + "coalesce", "5ms");
    all.put(PREFIX + "leave-window", "500ms");
    for (String change : changed) {
      String[] parts = change.split("=", 2);
      all.put(PREFIX + parts[0], parts[1]);
    }
    return new Binder(new MapConfigurationPropertySource(all))
        .bindOrCreate("sluice.push", PushSettings.class);
  }
}
