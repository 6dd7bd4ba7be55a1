package dev.sluice.standalone;

import dev.sluice.api.rooms.SharedFeed;
import dev.sluice.contract.Topics;
import dev.sluice.hot.HotRooms;
import dev.sluice.hot.edge.EdgeCounters;
import dev.sluice.identity.AdminRule;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Sessions;
import dev.sluice.log.CommandLog;
import dev.sluice.log.DeadLetters;
import dev.sluice.log.RoomEventFeed;
import dev.sluice.log.RoomLog;
import dev.sluice.notifier.push.LiveOutcomes;
import dev.sluice.notifier.push.LiveRoomEvents;
import dev.sluice.notifier.push.RoomSources;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.RoomQueries;
import dev.sluice.settings.ConfigWriter;
import dev.sluice.settings.SettingsFollower;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Clock;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.ServerConnector;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/**
 * What the tiers with HTTP are given. All of it belongs to {@link Tiers}, which closes it after
 * them.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(RoleConfigurations.class)
@Lazy
class StandaloneConfiguration {
  /** As many as Linux keeps at most, unless it is told otherwise. */
  private static final int ACCEPT_QUEUE = 4096;

  private static final String BELONGS_TO_THE_TIERS = "";

  private final Tiers tiers;

  StandaloneConfiguration(Tiers tiers) {
    this.tiers = tiers;
  }

  /** Thousands knock in the same moment; the JDK would have the system keep 50 of them. */
  @Bean
  static WebServerFactoryCustomizer<JettyServletWebServerFactory> acceptQueue() {
    return factory ->
        factory.addServerCustomizers(
            server -> {
              for (Connector connector : server.getConnectors()) {
                ((ServerConnector) connector).setAcceptQueueSize(ACCEPT_QUEUE);
              }
            });
  }

  @Bean
  Clock clock() {
    return Clock.systemUTC();
  }

  @Bean
  Topics topics() {
    return tiers.topics();
  }

  @Bean(destroyMethod = BELONGS_TO_THE_TIERS)
  CommandLog commandLog() {
    return tiers.edges().commandLog();
  }

  @Bean(destroyMethod = BELONGS_TO_THE_TIERS)
  SettingsFollower settingsFollower() {
    return tiers.edges().settings();
  }

  @Bean(destroyMethod = BELONGS_TO_THE_TIERS)
  ConfigWriter configWriter() {
    return tiers.edges().configWriter();
  }

  @Bean(destroyMethod = BELONGS_TO_THE_TIERS)
  DeadLetters deadLetters() {
    return tiers.edges().deadLetters();
  }

  @Bean(destroyMethod = BELONGS_TO_THE_TIERS)
  AdmissionQueries admissionQueries() {
    return tiers.queries();
  }

  @Bean
  RoomQueries roomQueries() {
    return tiers.roomQueries();
  }

  @Bean(destroyMethod = BELONGS_TO_THE_TIERS)
  RoomLog roomLog() {
    return tiers.edges().roomLog();
  }

  @Bean
  EdgeCounters edgeCounters() {
    return tiers.edgeCounters();
  }

  @Bean(destroyMethod = BELONGS_TO_THE_TIERS)
  HotRooms hotRooms() {
    return tiers.edges().hotRooms();
  }

  /** Null, and so absent for whoever asks, without a Redis. */
  @Bean(destroyMethod = BELONGS_TO_THE_TIERS)
  RedisHere redis() {
    return tiers.redis();
  }

  @Bean
  MeterBinder kinesisMeters() {
    KinesisHere kinesis = tiers.kinesis();
    return kinesis == null ? null : kinesis::reportTo;
  }

  @Bean
  SharedFeed sharedFeed() {
    RedisHere redis = tiers.redis();
    return redis == null ? null : redis.sharedFeed();
  }

  @Bean
  RoomSources roomSources() {
    return new RoomSources(
        tiers.roomQueries(),
        (wanted, listener) -> tiers.followRooms(wanted, toldTo(listener)),
        tiers.edges().hotRooms(),
        tiers.edges().settings()::view,
        tiers.edges().audienceLog()::append);
  }

  private static RoomEventFeed.Listener toldTo(LiveRoomEvents.Listener listener) {
    return new RoomEventFeed.Listener() {
      @Override
      public void reads(int partition, long offset) {
        listener.reads(partition, offset);
      }

      @Override
      public void said(String roomId, long cursor) {
        listener.said(roomId, cursor);
      }
    };
  }

  /** A feed for each who asks, started when asked for. */
  @Bean
  LiveOutcomes liveOutcomes() {
    return tiers::follow;
  }

  @Bean
  Sessions sessions() {
    return new Sessions(tiers.secrets().secret());
  }

  @Bean
  Passes passes() {
    return new Passes(tiers.secrets().passKey());
  }

  @Bean
  AdminRule adminRule() {
    return new AdminRule(tiers.properties().adminToken());
  }
}
