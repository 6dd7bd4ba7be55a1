package dev.sluice.api;

import dev.sluice.api.admin.AdminFilter;
import dev.sluice.api.admin.AdmissionAdmin;
import dev.sluice.api.admin.DeadLetterAdmin;
import dev.sluice.api.admin.SettingsAdmin;
import dev.sluice.api.admission.AdmissionCalls;
import dev.sluice.api.admission.AdmissionMeters;
import dev.sluice.api.admission.AdmissionServlet;
import dev.sluice.api.exchange.InFlight;
import dev.sluice.api.health.Health;
import dev.sluice.api.monitoring.Monitor;
import dev.sluice.api.monitoring.MonitoringAdmin;
import dev.sluice.api.problem.ContainerErrors;
import dev.sluice.api.problem.ErrorPage;
import dev.sluice.api.problem.ProblemAdvice;
import dev.sluice.identity.AdminRule;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Sessions;
import dev.sluice.query.AdmissionQueries;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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

  /** Signs passes: nothing but work for a processor, so a thread a core does. */
  @Bean(destroyMethod = "shutdown")
  ExecutorService passSigners() {
    AtomicInteger count = new AtomicInteger();
    return Executors.newFixedThreadPool(
        Math.max(2, Runtime.getRuntime().availableProcessors()),
        task -> {
          Thread thread = new Thread(task, "sluice-passes-" + count.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
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
