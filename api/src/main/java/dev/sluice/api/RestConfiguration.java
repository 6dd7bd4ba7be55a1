package dev.sluice.api;

import dev.sluice.api.admin.AdminFilter;
import dev.sluice.api.admin.AdmissionAdmin;
import dev.sluice.api.admin.DeadLetterAdmin;
import dev.sluice.api.admin.SettingsAdmin;
import dev.sluice.api.admin.SettingsInForce;
import dev.sluice.api.admission.AdmissionCalls;
import dev.sluice.api.admission.AdmissionMeters;
import dev.sluice.api.admission.AdmissionServlet;
import dev.sluice.api.exchange.InFlight;
import dev.sluice.api.health.Health;
import dev.sluice.api.monitoring.Monitor;
import dev.sluice.api.monitoring.MonitoringAdmin;
import dev.sluice.api.monitoring.RoomsMonitoring;
import dev.sluice.api.problem.ContainerErrors;
import dev.sluice.api.problem.ErrorPage;
import dev.sluice.api.problem.ProblemAdvice;
import dev.sluice.api.rooms.Fetches;
import dev.sluice.api.rooms.JoinLimits;
import dev.sluice.api.rooms.RoomCalls;
import dev.sluice.api.rooms.RoomMeters;
import dev.sluice.api.rooms.RoomsServlet;
import dev.sluice.api.rooms.SharedFeed;
import dev.sluice.hot.HotRooms;
import dev.sluice.hot.edge.EdgeCounters;
import dev.sluice.identity.AdminRule;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Sessions;
import dev.sluice.query.AdmissionQueries;
import dev.sluice.query.RoomQueries;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jetty.servlet.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.PropertySource;
import org.springframework.core.Ordered;

/** What REST is made of, whatever is behind it. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(ApiLimits.class)
@PropertySource("classpath:dev/sluice/api/api.properties")
@Import({
  AdmissionAdmin.class,
  SettingsAdmin.class,
  DeadLetterAdmin.class,
  MonitoringAdmin.class,
  RoomsMonitoring.class,
  Health.class,
  ErrorPage.class,
  ProblemAdvice.class,
  OpenApi.class
})
class RestConfiguration {
  private static final String[] ADMIN_PATHS = {"/api/admin/*", "/api/v1/monitor/*", "/actuator/*"};

  @Bean
  AdmissionMeters admissionMeters(MeterRegistry registry) {
    return new AdmissionMeters(registry);
  }

  @Bean
  InFlight inFlight(ApiLimits limits, MeterRegistry registry) {
    InFlight inFlight = new InFlight(limits.maxInFlight());
    Gauge.builder("sluice.calls", inFlight, InFlight::count)
        .description("Admission calls under way")
        .register(registry);
    return inFlight;
  }

  @Bean
  InFlight roomsInFlight(ApiLimits limits, MeterRegistry registry) {
    InFlight inFlight = new InFlight(limits.maxRoomCalls());
    Gauge.builder("sluice.room.calls.now", inFlight, InFlight::count)
        .description("Calls on rooms under way")
        .register(registry);
    return inFlight;
  }

  @Bean
  RoomMeters roomMeters(MeterRegistry registry, EdgeCounters edge) {
    return new RoomMeters(registry, edge);
  }

  /** Make the answers of calls on rooms. */
  @Bean(destroyMethod = "shutdown")
  ScheduledExecutorService roomAnswerers() {
    ScheduledThreadPoolExecutor pool =
        new ScheduledThreadPoolExecutor(processors(), named("sluice-rooms-"));
    pool.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return pool;
  }

  @Bean
  ServletRegistrationBean<RoomsServlet> roomsServlet(
      RoomCalls.Log log,
      EdgeCounters edge,
      SettingsInForce settings,
      HotRooms hotRooms,
      RoomQueries queries,
      Optional<SharedFeed> sharedFeed,
      RoomMeters meters,
      ScheduledExecutorService roomAnswerers,
      InFlight roomsInFlight,
      ApiLimits limits) {
    Fetches fetches =
        new Fetches(
            queries,
            hotRooms,
            sharedFeed.orElse(null),
            new Fetches.Limits(limits.hotReadInterval(), limits.maxWaitingFetches()),
            meters,
            roomAnswerers);
    JoinLimits joins = new JoinLimits(settings, System::nanoTime);
    RoomCalls calls = new RoomCalls(log, edge, joins, fetches, queries, meters, roomAnswerers);
    ServletRegistrationBean<RoomsServlet> registration =
        new ServletRegistrationBean<>(new RoomsServlet(calls, roomsInFlight), "/api/rooms/*");
    registration.setName("rooms");
    registration.setLoadOnStartup(1);
    return registration;
  }

  /** Signs passes: nothing but work for a processor, so a thread a core does. */
  @Bean(destroyMethod = "shutdown")
  ExecutorService passSigners() {
    return Executors.newFixedThreadPool(processors(), named("sluice-passes-"));
  }

  private static int processors() {
    return Math.max(2, Runtime.getRuntime().availableProcessors());
  }

  private static ThreadFactory named(String prefix) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  @Bean
  ServletRegistrationBean<AdmissionServlet> admissionServlet(
      AdmissionCalls.Entries entries,
      AdmissionQueries queries,
      AdmissionMeters meters,
      Sessions sessions,
      Passes passes,
      InFlight inFlight,
      ExecutorService passSigners,
      ApiLimits limits) {
    AdmissionCalls calls = new AdmissionCalls(entries, queries, meters, limits.answerWithin());
    AdmissionServlet servlet =
        new AdmissionServlet(
            calls, queries, sessions, passes, inFlight, passSigners, limits.answerWithin());
    ServletRegistrationBean<AdmissionServlet> registration =
        new ServletRegistrationBean<>(servlet, "/api/admission/*", "/api/sessions/*");
    registration.setName("admission");
    registration.setLoadOnStartup(1);
    return registration;
  }

  @Bean
  FilterRegistrationBean<AdminFilter> adminFilter(AdminRule rule) {
    FilterRegistrationBean<AdminFilter> registration =
        new FilterRegistrationBean<>(new AdminFilter(rule));
    registration.addUrlPatterns(ADMIN_PATHS);
    registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
    return registration;
  }

  @Bean(initMethod = "start")
  Monitor monitor(AdmissionQueries queries, Clock clock) {
    return new Monitor(queries, clock);
  }

  @Bean
  WebServerFactoryCustomizer<JettyServletWebServerFactory> containerErrors() {
    return factory ->
        factory.addServerCustomizers(server -> server.setErrorHandler(new ContainerErrors()));
  }
}
