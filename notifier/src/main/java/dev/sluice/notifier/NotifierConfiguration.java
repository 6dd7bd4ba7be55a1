package dev.sluice.notifier;

import dev.sluice.identity.AdminRule;
import dev.sluice.identity.Passes;
import dev.sluice.identity.Sessions;
import dev.sluice.notifier.connection.OriginRule;
import dev.sluice.notifier.connection.StompConnection;
import dev.sluice.notifier.jetty.StompServlet;
import dev.sluice.notifier.push.LiveOutcomes;
import dev.sluice.notifier.push.RoomSources;
import dev.sluice.query.AdmissionQueries;
import io.micrometer.core.instrument.binder.MeterBinder;
import jakarta.servlet.DispatcherType;
import java.time.Clock;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The notifier in a Spring application on Jetty. Whoever imports it gives it {@link
 * AdmissionQueries}, {@link LiveOutcomes}, {@link RoomSources}, {@link Sessions}, {@link Passes},
 * {@link AdminRule} and a {@link Clock}.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(PushSettings.class)
public class NotifierConfiguration {
  @Bean(destroyMethod = "close")
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

  @Bean
  NotifierLifecycle notifierLifecycle(Notifier notifier) {
    return new NotifierLifecycle(notifier);
  }

  @Bean
  ServletRegistrationBean<StompServlet> stompServlet(Notifier notifier, PushSettings settings) {
    ServletRegistrationBean<StompServlet> registration =
        new ServletRegistrationBean<>(
            new StompServlet(
                notifier.services(), settings.limits(), new OriginRule(settings.allowedOrigins())),
            StompConnection.PATH);
    registration.setName("stomp");
    registration.setAsyncSupported(true);
    return registration;
  }

  @Bean
  WebSocketStatusController webSocketStatusController(Notifier notifier, AdminRule admins) {
    return new WebSocketStatusController(notifier, admins);
  }

  @Bean
  PageResources pageResources() {
    return new PageResources();
  }

  @Bean
  FilterRegistrationBean<PageHeaders> pageHeaders() {
    FilterRegistrationBean<PageHeaders> registration =
        new FilterRegistrationBean<>(new PageHeaders());
    registration.addUrlPatterns("*.html", "/js/*", "/css/*", "/art/*");
    registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.FORWARD);
    return registration;
  }

  @Bean
  MeterBinder notifierMeters(Notifier notifier) {
    return new NotifierMeters(notifier);
  }
}
