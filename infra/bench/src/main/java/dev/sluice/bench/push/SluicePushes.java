package dev.sluice.bench.push;

import dev.sluice.identity.AdminRule;
import dev.sluice.identity.PassKey;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Session;
import dev.sluice.identity.Sessions;
import dev.sluice.notifier.Notifier;
import dev.sluice.notifier.NotifierConfiguration;
import dev.sluice.notifier.PushSettings;
import dev.sluice.notifier.push.LiveOutcomes;
import dev.sluice.notifier.push.RoomSources;
import dev.sluice.query.AdmissionQueries;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import java.time.Clock;
import java.util.List;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.servlet.ServletListenerRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Sluice's notifier, alone with a room in memory. */
final class SluicePushes implements Pushes {
  private final EveryoneWaits everyone;
  private final Notifier notifier;

  private SluicePushes(EveryoneWaits everyone, Notifier notifier) {
    this.everyone = everyone;
    this.notifier = notifier;
  }

  /** What is measured in {@code context}, with someone waiting for each of {@code sessions}. */
  static SluicePushes in(ApplicationContext context, List<Session> sessions) {
    EveryoneWaits everyone = context.getBean(EveryoneWaits.class);
    everyone.wait(sessions);
    return new SluicePushes(everyone, context.getBean(Notifier.class));
  }

  @Override
  public void tellPerson(int person, long stamp) {
    everyone.expire(person, Long.toString(stamp));
  }

  @Override
  public void tellAll(long stamp) {
    everyone.nowWait(stamp);
    notifier.services().stats().run();
  }

  @Override
  public int connections() {
    return notifier.connections().size();
  }

  @Override
  public long outboxBytes() {
    return notifier.connections().outboxBytes();
  }

  @Override
  public long left() {
    // A room without subscribers is let go of when its turn comes.
    notifier.services().stats().run();
    return (long) notifier.connections().size()
        + notifier.table().peopleCount()
        + notifier.table().roomCount()
        + notifier.table().waitingRoomCount()
        + notifier.table().followedRoomCount()
        + (notifier.table().isEmpty() ? 0 : 1)
        + notifier.services().presentState().open()
        + notifier.services().stats().busyRooms()
        + notifier.rooms().rooms();
  }

  /** What both containers share. */
  @Configuration(proxyBeanMethods = false)
  static class Around {
    @Bean
    EveryoneWaits everyoneWaits() {
      return new EveryoneWaits();
    }

    @Bean
    Sessions sessions() {
      return new Sessions(PushServer.SECRET);
    }

    @Bean
    Passes passes() {
      return new Passes(PassKey.generate());
    }

    @Bean
    AdminRule adminRule() {
      return new AdminRule(null);
    }

    @Bean
    RoomSources roomSources() {
      return EveryoneWaits.noRooms();
    }

    @Bean
    Clock clock() {
      return Clock.systemUTC();
    }
  }

  /** As Sluice runs. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({Around.class, NotifierConfiguration.class})
  static class OnJetty {
    private static final int ACCEPT_QUEUE = 4096;

    @Bean
    JettyServletWebServerFactory container() {
      JettyServletWebServerFactory factory = new JettyServletWebServerFactory();
      factory.addServerCustomizers(
          server -> ((ServerConnector) server.getConnectors()[0]).setAcceptQueueSize(ACCEPT_QUEUE));
      return factory;
    }
  }

  /** The same connections on Tomcat's WebSocket. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableConfigurationProperties(PushSettings.class)
  @Import(Around.class)
  static class OnTomcat {
    @Bean
    TomcatServletWebServerFactory container() {
      return new TomcatServletWebServerFactory();
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    Notifier notifier(
        PushSettings settings,
        AdmissionQueries queries,
        LiveOutcomes outcomes,
        RoomSources rooms,
        Sessions sessions,
        Passes passes,
        AdminRule admins,
        Clock clock) {
      return new Notifier(
          settings, queries, outcomes, rooms, sessions, passes, admins, clock, System::nanoTime);
    }

    /** When the container's own WebSocket is there. */
    @Bean
    ServletListenerRegistrationBean<ServletContextListener> endpoint(
        Notifier notifier, PushSettings settings) {
      return new ServletListenerRegistrationBean<>(
          new ServletContextListener() {
            @Override
            public void contextInitialized(ServletContextEvent event) {
              TomcatEndpoint.addTo(
                  event.getServletContext(), notifier.services(), settings.limits());
            }
          });
    }
  }
}
