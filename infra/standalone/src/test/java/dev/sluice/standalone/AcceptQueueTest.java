package dev.sluice.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jetty.JettyWebServer;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;

class AcceptQueueTest {
  @Test
  void thousands_who_knock_in_the_same_moment_are_kept_until_they_are_let_in() {
    JettyServletWebServerFactory factory = new JettyServletWebServerFactory(0);
    StandaloneConfiguration.acceptQueue().customize(factory);

    JettyWebServer server = (JettyWebServer) factory.getWebServer();
    try {
      assertThat(server.getServer().getConnectors())
          .allSatisfy(
              connector ->
                  assertThat(((ServerConnector) connector).getAcceptQueueSize()).isEqualTo(4096));
    } finally {
      server.destroy();
    }
  }
}
